/* The words of the live scatter study and what it prints. */
#include "lab/scatter/live.h"

static int complain(const char* word) {
  if (live.rank == 0)
    fprintf(stderr,
            "baton-scatter-live: \"%s\" means nothing here. usage: mpiexec -n RANKS "
            "baton-scatter-live [operation=scatter,gather] [blocks=BYTES,...] "
            "[orders=rank,status,blocking,auto,direct,again] [rounds=N] [busy=PERCENT] "
            "[earlier=BYTES-BYTES] [place=drawn|first] [root=RANK] [seed=N] [lead_us=N] "
            "[progress=0|1] [samples=0|1]\n",
            word);
  return 0;
}

static int is_order(const char* name) {
  const char* known[] = {"rank", "status", "blocking", "auto", "direct", "again"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (!strcmp(name, known[i])) return 1;
  return 0;
}

static int read_orders(char* text) {
  live.order_count = 0;
  for (char* name = strtok(text, ","); name; name = strtok(NULL, ",")) {
    if (live.order_count == orders_max || !is_order(name)) return 0;
    snprintf(live.orders[live.order_count].name, sizeof live.orders[0].name, "%s", name);
    ++live.order_count;
  }
  return live.order_count > 0;
}

static int read_number(const char* word, const char* name, long least, long most, int* value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) || word[length] != '=') return 0;
  long number = atol(word + length + 1);
  if (number < least || number > most) return 0;
  *value = (int)number;
  return 1;
}

static int make_cells(const char* operations, const char* blocks) {
  const char* names[] = {"scatter", "gather"};
  for (int operation = scatter; operation <= gather; ++operation) {
    if (!strstr(operations, names[operation])) continue;
    for (const char* at = blocks; *at;) {
      char* end;
      long bytes = strtol(at, &end, 10);
      if (end == at || bytes < 0 || bytes * (long)live.ranks > INT32_MAX) return 0;
      if (live.cell_count == cells_max) return 0;
      live.cells[live.cell_count].operation = operation;
      live.cells[live.cell_count++].block = (size_t)bytes;
      if (*end && (*end != ',' || !end[1])) return 0;
      at = *end ? end + 1 : end;
    }
  }
  return live.cell_count > 0;
}

int read_words(int count, char** words) {
  const char *operations = "scatter,gather", *blocks = "4096,65536,1048576";
  char orders[] = "rank,status,blocking,direct";
  int lead = 20000;
  live.rounds = 9;
  live.busy_percent = 33;
  live.seed = 1;
  live.earlier_min = 65536;
  live.earlier_max = 16 << 20;
  read_orders(orders);
  if (live.ranks < 2 || live.ranks > ranks_max) return complain("so many ranks");
  for (int i = 1; i < count; ++i) {
    char* word = words[i];
    long from, to;
    if (!strncmp(word, "operation=", 10))
      operations = word + 10;
    else if (!strncmp(word, "blocks=", 7))
      blocks = word + 7;
    else if (!strncmp(word, "orders=", 7) ? read_orders(word + 7) : 0)
      continue;
    else if (sscanf(word, "earlier=%ld-%ld", &from, &to) == 2 && from > 0 && from <= to &&
             to <= 1 << 30)
      live.earlier_min = (size_t)from, live.earlier_max = (size_t)to;
    else if (!strcmp(word, "place=first") || !strcmp(word, "place=drawn"))
      live.busy_first = word[6] == 'f';
    else if (!read_number(word, "rounds", 1, rounds_max, &live.rounds) &&
             !read_number(word, "busy", 0, 100, &live.busy_percent) &&
             !read_number(word, "root", 0, live.ranks - 1, &live.root) &&
             !read_number(word, "seed", 0, INT32_MAX, &live.seed) &&
             !read_number(word, "lead_us", 100, 10000000, &lead) &&
             !read_number(word, "progress", 0, 1, &live.progress) &&
             !read_number(word, "samples", 0, 1, &live.samples))
      return complain(word);
  }
  live.lead_us = lead;
  return make_cells(operations, blocks) || complain("blocks= or operation=");
}

/* ---- results ---- */

static int by_size(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
/* The median and the quartiles of what `value` says of each round, and between which values the
 * median of endless rounds lies with a probability of 95 % (by order statistics). */
typedef struct {
  double low, middle, high;
  double least, most;
} Spread;
static Spread spread_of(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
  int outer = (int)floor((count - 1.96 * sqrt(count)) / 2);
  if (outer < 0) outer = 0;
  return (Spread){values[(count - 1) / 4], middle, values[count - 1 - (count - 1) / 4],
                  values[outer], values[count - 1 - outer]};
}

static int order_named(const char* name) {
  for (int i = 0; i < live.order_count; ++i)
    if (!strcmp(live.orders[i].name, name)) return i;
  return -1;
}

static const char* time_names[time_count] = {"idle", "root", "all"};

/* How much longer another order takes than this one, round by round. */
static void print_gain(const Cell* cell, int order, const char* other) {
  int base = order_named(other);
  if (base < 0 || base == order) return;
  for (int t = 0; t < time_count; ++t) {
    double ratios[rounds_max];
    for (int i = 0; i < live.rounds; ++i)
      ratios[i] = cell->times[base][i].of[t] / cell->times[order][i].of[t];
    Spread spread = spread_of(ratios, live.rounds);
    printf(", \"%s_gain_over_%s\": %.3f, \"%s_gain_over_%s_interval\": [%.3f, %.3f]", time_names[t],
           other, spread.middle, time_names[t], other, spread.least, spread.most);
  }
}

static void print_order(const Cell* cell, int order) {
  printf("      {\"order\": \"%s\"", live.orders[order].name);
  for (int t = 0; t < time_count; ++t) {
    double values[rounds_max];
    for (int i = 0; i < live.rounds; ++i) values[i] = cell->times[order][i].of[t];
    if (live.samples) {
      printf(", \"%s_us_samples\": [", time_names[t]);
      for (int i = 0; i < live.rounds; ++i) printf("%s%.1f", i ? ", " : "", values[i]);
      printf("]");
    }
    Spread spread = spread_of(values, live.rounds);
    printf(", \"%s_us\": %.1f, \"%s_us_quartiles\": [%.1f, %.1f]", time_names[t], spread.middle,
           time_names[t], spread.low, spread.high);
  }
  print_gain(cell, order, "rank");
  print_gain(cell, order, "blocking");
  printf("}");
}

void print_json(void) {
  printf(
      "{\"study\": \"scatter\", \"ranks\": %d, \"root\": %d, \"rounds\": %d, \"seed\": %d,\n"
      " \"busy_percent\": %d, \"place\": \"%s\", \"earlier_bytes\": [%zu, %zu], \"cells\": [\n",
      live.ranks, live.root, live.rounds, live.seed, live.busy_percent,
      live.busy_first ? "first" : "drawn", live.earlier_min, live.earlier_max);
  for (int i = 0; i < live.cell_count; ++i) {
    const Cell* cell = &live.cells[i];
    printf("    {\"operation\": \"%s\", \"block_bytes\": %zu, \"repeated\": %d, \"orders\": [\n",
           cell->operation == scatter ? "scatter" : "gather", cell->block, cell->late);
    for (int order = 0; order < live.order_count; ++order) {
      print_order(cell, order);
      printf(order + 1 < live.order_count ? ",\n" : "]}");
    }
    printf(i + 1 < live.cell_count ? ",\n" : "\n]}\n");
  }
}
