/* Control variables, enumerations and categories of the tool interface, and its beginning and end:
 * every procedure with good and bad arguments, before MPI_Init, while MPI runs, and after
 * MPI_Finalize. */
#include "tool_names.h"

#include <stdlib.h>

#include "expect.h"

static int level;

/* Each procedure with arguments that would be good if the interface were initialized. */
static void nothing_works_before_it_is_initialized(void) {
  char text[8];
  int number = 0, length = sizeof text;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  EXPECT_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_get_index("check", &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_handle_alloc(0, NULL, &handle, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_read(handle, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_cvar_write(handle, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, text, &length),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &number, text, &length),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_changed(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_index("baton", &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_num_events(0, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_cvars(0, 1, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_pvars(0, 1, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_events(0, 1, &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_category_get_categories(0, 1, &number), MPI_T_ERR_NOT_INITIALIZED);
}

static void initializations_are_counted(void) {
  int number = -1;
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                        MPI_THREAD_MULTIPLE};
  for (int i = 0; i < 4; ++i) {
    EXPECT_OK(MPI_T_init_thread(levels[i], &level));
    EXPECT_INT(level, levels[i]);
  }
  for (int i = 0; i < 3; ++i) EXPECT_OK(MPI_T_finalize());
  EXPECT_OK(MPI_T_cvar_get_num(&number));
  EXPECT_OK(MPI_T_finalize());
  EXPECT_INT(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_init_thread(-5, &level), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
}

/* Handles that a tool leaves behind are gone with the interface. */
static void the_last_end_frees_what_is_left(void) {
  MPI_T_cvar_handle handle;
  int count, value;
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar("check"), NULL, &handle, &count));
  EXPECT_OK(MPI_T_cvar_read(handle, &value));
  EXPECT_OK(MPI_T_finalize());
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  EXPECT_INT(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_OK(MPI_T_finalize());
}

/* MPI 5.0, "Convention for Returning Strings". */
static void texts_are_cut_to_the_space_there_is(void) {
  const int index = cvar("eager_bytes_max"), whole = (int)sizeof "eager_bytes_max";
  char name[64];
  int length = sizeof name;
  EXPECT_OK(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_TEXT(name, "eager_bytes_max");
  EXPECT_INT(length, whole);
  length = whole;
  EXPECT_OK(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_TEXT(name, "eager_bytes_max");
  memset(name, 'x', sizeof name);
  length = 6;
  EXPECT_OK(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_TEXT(name, "eager");
  EXPECT_INT(name[6], 'x');
  EXPECT_INT(length, whole);
  length = 0;
  name[0] = 'x';
  EXPECT_OK(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(name[0], 'x');
  EXPECT_INT(length, whole);
  length = 3;
  EXPECT_OK(MPI_T_cvar_get_info(index, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(length, whole);
  EXPECT_OK(MPI_T_cvar_get_info(index, name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(name[0], 'x');
}

static void all_control_variables_are_complete(void) {
  int count = 0, index = -1;
  EXPECT_OK(MPI_T_cvar_get_num(&count));
  EXPECT(count > 40);
  EXPECT_INT(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
  for (int i = 0; i < count; ++i) {
    char name[64], words[1024];
    int name_length = sizeof name, words_length = sizeof words, verbosity, bind, scope, values;
    MPI_Datatype type;
    MPI_T_enum names;
    MPI_T_cvar_handle handle;
    long long value[2] = {0, 77};
    EXPECT_OK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &names, words,
                                  &words_length, &bind, &scope));
    EXPECT(name_length > 1 && name_length <= (int)sizeof name);
    EXPECT(words_length > 1 && words_length <= (int)sizeof words);
    EXPECT(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
    EXPECT(type == MPI_INT || type == MPI_COUNT);
    EXPECT((type == MPI_INT) == (names != MPI_T_ENUM_NULL));
    EXPECT_INT(bind, MPI_T_BIND_NO_OBJECT);
    EXPECT(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
    EXPECT_OK(MPI_T_cvar_get_index(name, &index));
    EXPECT_INT(index, i);
    EXPECT_OK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &values));
    EXPECT_INT(values, 1);
    EXPECT_OK(MPI_T_cvar_read(handle, value));
    EXPECT_INT(value[1], 77);
    EXPECT_OK(MPI_T_cvar_handle_free(&handle));
    EXPECT(handle == MPI_T_CVAR_HANDLE_NULL);
  }
  EXPECT_INT(MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_cvar_get_index("no such setting", &index), MPI_T_ERR_INVALID_NAME);
  EXPECT_INT(MPI_T_cvar_get_index(NULL, &index), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_cvar_get_index("check", NULL), MPI_T_ERR_INVALID);
}

static void bad_handles_of_variables_are_found(void) {
  MPI_T_cvar_handle handle, other, none = MPI_T_CVAR_HANDLE_NULL, freed;
  int count, value = 0;
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar("check"), NULL, &handle, &count));
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar("check"), NULL, &other, &count));
  EXPECT(handle != other);
  EXPECT_INT(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_cvar_write(handle, NULL), MPI_T_ERR_INVALID);
  freed = handle;
  EXPECT_OK(MPI_T_cvar_handle_free(&handle));
  EXPECT_INT(MPI_T_cvar_read(freed, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_write(freed, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_handle_free(&freed), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_OK(MPI_T_cvar_read(other, &value));
  EXPECT_OK(MPI_T_cvar_handle_free(&other));
  EXPECT_INT(MPI_T_cvar_read(none, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_read((MPI_T_cvar_handle)MPI_COMM_WORLD, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_read((MPI_T_cvar_handle)&value, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_handle_free(&none), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_cvar_handle_alloc(100000, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_cvar_handle_alloc(0, NULL, NULL, &count), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_cvar_handle_alloc(0, NULL, &handle, NULL), MPI_T_ERR_INVALID);
}

static int write_int(const char* name, int value) {
  MPI_T_cvar_handle handle;
  int count;
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, &count));
  const int code = MPI_T_cvar_write(handle, &value);
  EXPECT_OK(MPI_T_cvar_handle_free(&handle));
  return code;
}

static int write_count(const char* name, MPI_Count value) {
  MPI_T_cvar_handle handle;
  int count;
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, &count));
  const int code = MPI_T_cvar_write(handle, &value);
  EXPECT_OK(MPI_T_cvar_handle_free(&handle));
  return code;
}

static long long value_of(const char* name) {
  MPI_T_cvar_handle handle;
  MPI_Datatype type;
  int count, narrow = 0;
  MPI_Count wide = 0;
  EXPECT_OK(MPI_T_cvar_get_info(cvar(name), NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL));
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, &count));
  EXPECT_OK(MPI_T_cvar_read(handle, type == MPI_INT ? (void*)&narrow : (void*)&wide));
  EXPECT_OK(MPI_T_cvar_handle_free(&handle));
  return type == MPI_INT ? narrow : wide;
}

/* Of each kind of setting one: fixed, before MPI_Init, at any time. */
static void settings_change_while_they_may(int mpi_has_begun) {
  EXPECT_INT(write_count("own_rings", 3), MPI_T_ERR_CVAR_SET_NEVER);
  EXPECT_INT(write_count("early_bytes_max", 8192),
             mpi_has_begun ? MPI_T_ERR_CVAR_SET_NEVER : MPI_SUCCESS);
  EXPECT_INT(write_int("rooms", 0), mpi_has_begun ? MPI_T_ERR_CVAR_SET_NEVER : MPI_SUCCESS);
  EXPECT_INT(value_of("early_bytes_max"), 8192);
  EXPECT_INT(value_of("rooms"), 0);
  EXPECT_INT(write_count("eager_bytes_max", 100), MPI_SUCCESS);
  EXPECT_INT(value_of("eager_bytes_max"), 100);
  EXPECT_INT(write_count("eager_bytes_max", 47), MPI_T_ERR_INVALID);
  EXPECT_INT(write_count("eager_bytes_max", (MPI_Count)1 << 40), MPI_T_ERR_INVALID);
  EXPECT_INT(write_int("order", 4), MPI_T_ERR_INVALID);
  EXPECT_INT(write_int("order", -1), MPI_T_ERR_INVALID);
  EXPECT_INT(write_int("order", 2), MPI_SUCCESS);
  EXPECT_INT(value_of("order"), 2);
  EXPECT_INT(value_of("eager_bytes_max"), 100);
  /* What the environment says holds where no tool has written. */
  EXPECT_INT(value_of("unexpected_bytes_max"), 12345);
}

static void scopes_say_who_may_change_what(void) {
  const struct {
    const char* name;
    int scope;
  } rows[] = {{"own_rings", MPI_T_SCOPE_CONSTANT},
              {"rooms", MPI_T_SCOPE_ALL_EQ},
              {"early_bytes_max", MPI_T_SCOPE_LOCAL},
              {"eager_bytes_max", MPI_T_SCOPE_LOCAL}};
  for (int i = 0; i < 4; ++i) {
    int scope = 0;
    EXPECT_OK(MPI_T_cvar_get_info(cvar(rows[i].name), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                  NULL, &scope));
    EXPECT_INT(scope, rows[i].scope);
  }
}

static void enumerations_name_values(void) {
  MPI_T_enum names;
  char text[64];
  int count = 0, value = -1, length = sizeof text;
  EXPECT_OK(
      MPI_T_cvar_get_info(cvar("order"), NULL, NULL, NULL, NULL, &names, NULL, NULL, NULL, NULL));
  EXPECT_OK(MPI_T_enum_get_info(names, &count, text, &length));
  EXPECT_INT(count, 4);
  EXPECT_TEXT(text, "order");
  EXPECT_OK(MPI_T_enum_get_info(names, NULL, NULL, NULL));
  length = sizeof text;
  EXPECT_OK(MPI_T_enum_get_item(names, 2, &value, text, &length));
  EXPECT_INT(value, 2);
  EXPECT_TEXT(text, "status");
  EXPECT_INT(length, sizeof "status");
  EXPECT_INT(MPI_T_enum_get_item(names, 4, &value, text, &length), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_enum_get_item(names, -1, &value, text, &length), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &value, text, &length),
             MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_enum_get_info((MPI_T_enum)((char*)names + 1), &count, text, &length),
             MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_enum_get_info((MPI_T_enum)&count, &count, text, &length),
             MPI_T_ERR_INVALID_HANDLE);
}

/* Everything is in exactly one category, and every category but the root in exactly one other. */
static void categories_form_a_tree(void) {
  int categories, cvars, pvars, events, changed, again, one;
  EXPECT_OK(MPI_T_category_get_num(&categories));
  EXPECT_OK(MPI_T_cvar_get_num(&cvars));
  EXPECT_OK(MPI_T_pvar_get_num(&pvars));
  EXPECT_OK(MPI_T_event_get_num(&events));
  EXPECT_OK(MPI_T_category_changed(&changed));
  int* seen = calloc((size_t)(categories + cvars + pvars + events), sizeof(int));
  int* list = malloc((size_t)(pvars + 1) * sizeof(int));
  int* sets[] = {seen, seen + categories, seen + categories + cvars,
                 seen + categories + cvars + pvars};
  int (*members[])(int, int, int*) = {MPI_T_category_get_categories, MPI_T_category_get_cvars,
                                      MPI_T_category_get_pvars, MPI_T_category_get_events};
  for (int c = 0; c < categories; ++c) {
    char name[64], words[256];
    int name_length = sizeof name, words_length = sizeof words, counts[4], index;
    EXPECT_OK(MPI_T_category_get_info(c, name, &name_length, words, &words_length, &counts[1],
                                      &counts[2], &counts[0]));
    EXPECT_OK(MPI_T_category_get_num_events(c, &counts[3]));
    EXPECT(name_length > 1 && words_length > 1);
    EXPECT_OK(MPI_T_category_get_index(name, &index));
    EXPECT_INT(index, c);
    for (int kind = 0; kind < 4; ++kind) {
      list[counts[kind]] = -7;
      EXPECT_OK(members[kind](c, counts[kind] + 1, list));
      EXPECT_INT(list[counts[kind]], -7);
      for (int i = 0; i < counts[kind]; ++i) ++sets[kind][list[i]];
      EXPECT_OK(members[kind](c, 0, NULL));
      if (counts[kind] > 1) {
        list[1] = -7;
        EXPECT_OK(members[kind](c, 1, list));
        EXPECT(list[0] >= 0 && list[1] == -7);
      }
      EXPECT_INT(members[kind](c, 1, NULL), MPI_T_ERR_INVALID);
      EXPECT_INT(members[kind](c, -1, list), MPI_T_ERR_INVALID);
      EXPECT_INT(members[kind](categories, 1, list), MPI_T_ERR_INVALID_INDEX);
    }
  }
  EXPECT_INT(seen[category("baton")], 0);
  for (int i = 0; i < categories + cvars + pvars + events; ++i)
    if (i != category("baton")) EXPECT_INT(seen[i], 1);
  free(seen);
  free(list);
  EXPECT_OK(MPI_T_category_changed(&again));
  EXPECT_INT(again, changed);
  EXPECT_INT(MPI_T_category_changed(NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_category_get_num(NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_category_get_num_events(0, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_category_get_num_events(-1, &one), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_category_get_info(categories, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_OK(MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(MPI_T_category_get_index("no such category", &one), MPI_T_ERR_INVALID_NAME);
  EXPECT_INT(MPI_T_category_get_index(NULL, &one), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_category_get_index("baton", NULL), MPI_T_ERR_INVALID);
}

static void all(int mpi_has_begun) {
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  texts_are_cut_to_the_space_there_is();
  all_control_variables_are_complete();
  bad_handles_of_variables_are_found();
  settings_change_while_they_may(mpi_has_begun);
  scopes_say_who_may_change_what();
  enumerations_name_values();
  categories_form_a_tree();
  EXPECT_OK(MPI_T_finalize());
}

static void codes_have_texts(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  EXPECT_OK(MPI_Error_string(MPI_T_ERR_CANNOT_INIT, text, &length));
  EXPECT_IN(text, "MPI_T_ERR_CANNOT_INIT");
  EXPECT_OK(MPI_Error_string(MPI_T_ERR_CVAR_SET_NEVER, text, &length));
  EXPECT_IN(text, "MPI_T_ERR_CVAR_SET_NEVER");
  EXPECT_OK(MPI_Error_string(MPI_T_ERR_PVAR_NO_ATOMIC, text, &length));
  EXPECT_IN(text, "MPI_T_ERR_PVAR_NO_ATOMIC");
}

int main(int argc, char** argv) {
  setenv("BATON_UNEXPECTED_BYTES_MAX", "12345", 1);
  nothing_works_before_it_is_initialized();
  initializations_are_counted();
  the_last_end_frees_what_is_left();
  all(0);
  MPI_Init(&argc, &argv);
  all(1);
  codes_have_texts();
  MPI_Finalize();
  all(1);
  nothing_works_before_it_is_initialized();
  return expect_result();
}
