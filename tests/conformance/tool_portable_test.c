/* What MPI 5.0 promises of the tool interface of any library, whatever it shows: all that can be
 * listed is listed, named once, described and read; categories do not include themselves; wrong
 * numbers and names have their codes. Runs before MPI_Init, while MPI runs, and after MPI_Finalize.
 * ARGUMENT "mpich": leaves out what MPICH 5.0.2 does not do: it checks no numbers, which the
 * standard leaves to the library, is initialized by MPI_Init, gives the length of a text that was
 * cut and not of the whole one, ends by SIGSEGV for MPI_T_PVAR_ALL_HANDLES of the ABI, and by an
 * assertion in exit where the interface is used after MPI_Finalize. */
#include "conformance.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)
enum { text_bytes = 4096 };

#define CHECK_WRONG(condition) CHECK(of_mpich || (condition))

static int of_mpich;
static char name[text_bytes], words[text_bytes];
static union {
  int number;
  double real;
  char bytes[1 << 16];
} value;

static void enumeration_is_complete(MPI_T_enum names) {
  int count = 0, length = text_bytes, number;
  OK(MPI_T_enum_get_info(names, &count, name, &length));
  CHECK(count > 0 && length > 1);
  for (int i = 0; i < count; ++i) {
    length = text_bytes;
    OK(MPI_T_enum_get_item(names, i, &number, name, &length));
    CHECK(length > 1 && (int)strlen(name) == length - 1);
  }
}

/* A text asked for with too little space is its beginning, and says how long it is. */
static void text_is_cut(int index) {
  char whole[text_bytes], part[3] = "xx";
  int length = text_bytes, cut = 2;
  OK(MPI_T_cvar_get_info(index, whole, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  OK(MPI_T_cvar_get_info(index, part, &cut, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(part[0] == whole[0] && part[1] == 0 && part[2] == 0);
  CHECK(cut == (int)strlen(whole) + 1);
}

static void control_variables(void) {
  int count = 0, found;
  OK(MPI_T_cvar_get_num(&count));
  for (int i = 0; i < count; ++i) {
    int length = text_bytes, words_length = text_bytes, verbosity, bind, scope, values;
    MPI_Datatype type;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    OK(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &names, words, &words_length, &bind,
                           &scope));
    CHECK(length > 1 && (int)strlen(name) == length - 1);
    CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
    OK(MPI_T_cvar_get_index(name, &found));
    CHECK(found == i);
    if (type == MPI_INT && names != MPI_T_ENUM_NULL) enumeration_is_complete(names);
    if (!of_mpich) text_is_cut(i);
    if (bind != MPI_T_BIND_NO_OBJECT) continue;
    OK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &values));
    CHECK(values > 0 && values * 16 <= (int)sizeof value);
    OK(MPI_T_cvar_read(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  }
  int length = text_bytes, verbosity, bind, scope;
  MPI_Datatype type;
  MPI_T_enum names;
  CHECK_WRONG(MPI_T_cvar_get_info(count, name, &length, &verbosity, &type, &names, NULL, NULL,
                                  &bind, &scope) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_cvar_get_index("nobody has a variable of this name", &found) ==
        MPI_T_ERR_INVALID_NAME);
}

static void performance_variables(void) {
  MPI_T_pvar_session session, other;
  int count = 0, found;
  OK(MPI_T_pvar_get_num(&count));
  OK(MPI_T_pvar_session_create(&session));
  OK(MPI_T_pvar_session_create(&other));
  for (int i = 0; i < count; ++i) {
    int length = text_bytes, verbosity, class, bind, readonly, continuous, atomic, values;
    MPI_Datatype type;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    MPI_T_pvar_handle handle;
    OK(MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &names, NULL, NULL, &bind,
                           &readonly, &continuous, &atomic));
    CHECK(length > 1 && class >= MPI_T_PVAR_CLASS_STATE && class <= MPI_T_PVAR_CLASS_GENERIC);
    OK(MPI_T_pvar_get_index(name, class, &found));
    CHECK(found == i);
    if (bind != MPI_T_BIND_NO_OBJECT) continue;
    OK(MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &values));
    CHECK(values > 0 && values * 16 <= (int)sizeof value);
    CHECK(MPI_T_pvar_read(other, handle, &value) == MPI_T_ERR_INVALID_HANDLE);
    if (continuous)
      CHECK(MPI_T_pvar_start(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    else
      OK(MPI_T_pvar_start(session, handle));
    OK(MPI_T_pvar_read(session, handle, &value));
    if (readonly) CHECK(MPI_T_pvar_reset(session, handle) == MPI_T_ERR_PVAR_NO_WRITE);
    if (!continuous) OK(MPI_T_pvar_stop(session, handle));
    OK(MPI_T_pvar_handle_free(session, &handle));
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
  }
  if (!of_mpich) OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  OK(MPI_T_pvar_session_free(&session));
  OK(MPI_T_pvar_session_free(&other));
  CHECK(session == MPI_T_PVAR_SESSION_NULL);
  int length = text_bytes, verbosity, class, bind, readonly, continuous, atomic;
  MPI_Datatype type;
  MPI_T_enum names;
  CHECK_WRONG(MPI_T_pvar_get_info(count, name, &length, &verbosity, &class, &type, &names, NULL,
                                  NULL, &bind, &readonly, &continuous,
                                  &atomic) == MPI_T_ERR_INVALID_INDEX);
}

static void events(void) {
  int count = 0, sources = 0, found;
  OK(MPI_T_source_get_num(&sources));
  for (int i = 0; i < sources; ++i) {
    MPI_Count per_second, most, first;
    MPI_T_source_order order;
    OK(MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, &order, &per_second, &most, NULL));
    const int code = MPI_T_source_get_timestamp(i, &first);
    CHECK(code == MPI_SUCCESS || code == MPI_T_ERR_NOT_SUPPORTED);
  }
  OK(MPI_T_event_get_num(&count));
  for (int i = 0; i < count; ++i) {
    int length = text_bytes, elements = 0, bind;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    OK(MPI_T_event_get_info(i, name, &length, NULL, NULL, NULL, &elements, &names, NULL, NULL, NULL,
                            &bind));
    CHECK(length > 1);
    MPI_Datatype* types = calloc((size_t)elements + 1, sizeof *types);
    MPI_Aint* places = calloc((size_t)elements + 1, sizeof *places);
    OK(MPI_T_event_get_info(i, NULL, NULL, NULL, types, places, &elements, NULL, NULL, NULL, NULL,
                            NULL));
    for (int e = 0; e < elements; ++e) CHECK(e == 0 ? places[e] == 0 : places[e] > places[e - 1]);
    free(types);
    free(places);
    OK(MPI_T_event_get_index(name, &found));
    CHECK(found == i);
  }
  CHECK_WRONG(MPI_T_event_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
}

/* No category is below itself. */
static void descend(int category, int depth, int most) {
  int below = 0;
  CHECK(depth < most);
  OK(MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, NULL, NULL, &below));
  int* list = malloc((size_t)(below + 1) * sizeof *list);
  OK(MPI_T_category_get_categories(category, below, list));
  for (int i = 0; i < below; ++i) descend(list[i], depth + 1, most);
  free(list);
}

static void categories(void) {
  int count = 0, cvars, pvars, found;
  OK(MPI_T_category_get_num(&count));
  for (int i = 0; i < count; ++i) {
    int length = text_bytes;
    OK(MPI_T_category_get_info(i, name, &length, NULL, NULL, &cvars, &pvars, NULL));
    CHECK(length > 1);
    OK(MPI_T_category_get_index(name, &found));
    CHECK(found == i);
    int* list = malloc((size_t)(cvars + pvars + 1) * sizeof *list);
    OK(MPI_T_category_get_cvars(i, cvars, list));
    for (int k = 0; k < cvars; ++k)
      OK(MPI_T_cvar_get_info(list[k], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    OK(MPI_T_category_get_pvars(i, pvars, list));
    free(list);
    descend(i, 0, count);
  }
  CHECK(MPI_T_category_get_index("nobody has a category of this name", &found) ==
        MPI_T_ERR_INVALID_NAME);
}

static void all(void) {
  int provided;
  CHECK_WRONG(MPI_T_cvar_get_num(&provided) == MPI_T_ERR_NOT_INITIALIZED);
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  OK(MPI_T_finalize());
  control_variables();
  performance_variables();
  events();
  categories();
  OK(MPI_T_finalize());
  CHECK_WRONG(MPI_T_cvar_get_num(&provided) == MPI_T_ERR_NOT_INITIALIZED);
}

int main(int argc, char** argv) {
  of_mpich = argc > 1;
  all();
  start(&argc, &argv);
  all();
  finish();
  if (!of_mpich) all();
  return 0;
}
