/* Random moves of bytes: messages, collectives and one-sided operations of random sizes and
 * directions, at random alignments, between several kinds of memory, of data that was just written
 * or not. With opaque memory about half of the buffers cannot be touched by the library. Each
 * step is repeated some turns, so that the library changes its way meanwhile. Every byte that
 * arrives, and what lies around it, is compared with what a plain loop computes. usage:
 * random_moves_test [seed [step]] [steps=N] [multiple] [messages | collectives | windows]; a
 * failure says the seed and the step, and `random_moves_test SEED STEP` repeats that one alone.
 * `multiple`: MPI_THREAD_MULTIPLE; the other words: steps of that kind alone. */
#include "move_windows.h"

static void begin_step(void) {
  write_words();
  out = make_buffer(&now.out, 1);
  in = make_buffer(&now.in, 0);
  out_layout = make_layout(&now.out);
  in_layout = make_layout(&now.in);
  if (now.family == of_messages) begin_messages();
  if (now.family == of_windows) begin_windows();
}

static void run_turn(void) {
  begin_local();
  if (turn == 0 || now.cold) write_out();
  if (turn == 0 || now.looks) wipe_in();
  end_local();
  switch (now.family) {
    case of_messages:
      move_messages();
      break;
    case of_collective:
      move_collective();
      break;
    default:
      move_in_windows();
  }
  begin_local();
  if (now.looks || turn == now.turns - 1) compare(&in, &now.in, "received");
  end_local();
}

static void end_step(void) {
  begin_local();
  turn = now.turns - 1;
  compare(&out, &now.out, "sent");
  end_local();
  if (now.family == of_messages) end_messages();
  if (now.family == of_windows) end_windows();
  free_layout(&out_layout);
  free_layout(&in_layout);
  free_buffer(&out);
  free_buffer(&in);
}

static void run_step(long step) {
  draw_plan(step);
  begin_step();
  for (turn = 0; turn < now.turns; ++turn) run_turn();
  end_step();
}

/* Whether the word names the kind of steps that are wanted. */
static int is_family(const char* word) {
  for (int family = of_messages; family <= of_windows; ++family)
    if (strcmp(word, family_names[family]) == 0) {
      only_family = family;
      return 1;
    }
  return 0;
}

int main(int argc, char** argv) {
  long first = 0, steps = 100;
  int wanted = MPI_THREAD_SINGLE, provided, numbers = 0;
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "multiple") == 0)
      wanted = MPI_THREAD_MULTIPLE;
    else if (strncmp(argv[i], "steps=", 6) == 0)
      steps = strtol(argv[i] + 6, NULL, 10);
    else if (is_family(argv[i]))
      continue;
    else if (numbers++ == 0)
      seed = strtoull(argv[i], NULL, 10);
    else
      first = strtol(argv[i], NULL, 10), steps = 1;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided >= wanted && size <= ranks_max);
  has_opaque = opaque_is_there();
  catch_failures();
  for (long step = first; step < first + steps; ++step) run_step(step);
  return finish();
}
