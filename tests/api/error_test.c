/* Error classes, codes and strings; error handlers of communicators; the answers to bad arguments
 * of procedures that need no message. One process. */
#include "expect.h"

static MPI_Comm seen_comm;
static int seen_code, seen_calls;

static void remember(MPI_Comm* comm, int* code, ...) {
  seen_comm = *comm;
  seen_code = *code;
  ++seen_calls;
}

static void standard_classes_have_texts(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, class = -1;
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    EXPECT_OK(MPI_Error_class(code, &class));
    EXPECT_INT(class, code);
    EXPECT_OK(MPI_Error_string(code, text, &length));
    EXPECT_INT(length, strlen(text));
    EXPECT(length > 0);
  }
  EXPECT_OK(MPI_Error_class(MPI_ERR_LASTCODE, &class));
  EXPECT_INT(class, MPI_ERR_UNKNOWN);
  EXPECT_INT(MPI_Error_class(MPI_ERR_LASTCODE + 1, &class), MPI_ERR_ARG);
  EXPECT_INT(MPI_Error_string(-1, text, &length), MPI_ERR_ARG);
}

static void programs_add_and_remove_codes(void) {
  char text[MPI_MAX_ERROR_STRING];
  int class = 0, code = 0, found = 0, length = 0, flag = 0, *last = NULL;
  EXPECT_OK(MPI_Add_error_class(&class));
  EXPECT(class > MPI_ERR_LASTCODE);
  EXPECT_OK(MPI_Add_error_code(class, &code));
  EXPECT(code != class);
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  EXPECT(flag && *last == code);
  EXPECT_OK(MPI_Error_string(code, text, &length));
  EXPECT_INT(length, 0);
  EXPECT_OK(MPI_Add_error_string(code, "the pump is dry"));
  EXPECT_OK(MPI_Error_string(code, text, &length));
  EXPECT_TEXT(text, "the pump is dry");
  EXPECT_OK(MPI_Error_class(code, &found));
  EXPECT_INT(found, class);
  EXPECT_INT(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
  EXPECT_INT(MPI_Remove_error_class(class), MPI_ERR_ARG);
  EXPECT_INT(MPI_Remove_error_code(code), MPI_ERR_ARG);
  EXPECT_OK(MPI_Remove_error_string(code));
  EXPECT_OK(MPI_Remove_error_code(code));
  EXPECT_OK(MPI_Remove_error_class(class));
  EXPECT_INT(MPI_Error_class(code, &found), MPI_ERR_ARG);
}

static void a_handler_of_the_program_is_called_with_its_communicator(void) {
  MPI_Errhandler handler, current;
  EXPECT_OK(MPI_Comm_create_errhandler(remember, &handler));
  MPI_Errhandler kept = handler;
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
  EXPECT_OK(MPI_Errhandler_free(&handler));
  EXPECT(handler == MPI_ERRHANDLER_NULL);
  seen_calls = 0;
  EXPECT_INT(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, NULL), MPI_ERR_ARG);
  EXPECT_INT(seen_calls, 1);
  EXPECT_INT(seen_code, MPI_ERR_ARG);
  EXPECT(seen_comm == MPI_COMM_WORLD);
  EXPECT_OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
  EXPECT_INT(seen_calls, 2);
  EXPECT_INT(seen_code, MPI_ERR_OTHER);
  EXPECT_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &current));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  /* Only our handle keeps it alive now. */
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, current));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Errhandler_free(&current));
  EXPECT_INT(MPI_Comm_set_errhandler(MPI_COMM_WORLD, kept), MPI_ERR_ERRHANDLER);
  EXPECT_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &current));
  EXPECT(current == MPI_ERRORS_RETURN);
  EXPECT_OK(MPI_Errhandler_free(&current));
}

/* The text names the procedure, the argument and the cause. */
static void explanations_name_the_argument(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, count = 0;
  MPI_Status status;
  MPI_Info info;
  EXPECT_INT(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, NULL), MPI_ERR_ARG);
  EXPECT_OK(MPI_Error_string(MPI_ERR_ARG, text, &length));
  EXPECT_IN(text, "MPI_Comm_get_attr: argument 3 (attribute_val) is a null pointer [MPI_ERR_ARG]");
  EXPECT_INT(MPI_Comm_delete_attr(MPI_COMM_NULL, 5), MPI_ERR_COMM);
  EXPECT_OK(MPI_Error_string(MPI_ERR_COMM, text, &length));
  EXPECT_IN(text, "MPI_Comm_delete_attr: argument 1 (comm) is MPI_COMM_NULL [MPI_ERR_COMM]");
  EXPECT_INT(MPI_Get_count_c(&status, (MPI_Datatype)0x12345678, NULL), MPI_ERR_TYPE);
  EXPECT_OK(MPI_Error_string(MPI_ERR_TYPE, text, &length));
  EXPECT_IN(text, "MPI_Get_count_c: argument 2 (datatype): 0x12345678 is no live datatype");
  EXPECT_INT(MPI_Get_count(NULL, MPI_INT, &count), MPI_ERR_ARG);
  EXPECT_INT(MPI_Comm_delete_attr((MPI_Comm)&status, 5), MPI_ERR_COMM);
  EXPECT_OK(MPI_Info_create(&info));
  MPI_Info dead = info;
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_INT(MPI_Info_set(dead, "key", "value"), MPI_ERR_INFO);
  EXPECT_INT(MPI_Info_set(MPI_INFO_NULL, "key", "value"), MPI_ERR_INFO);
  /* Another error's explanation does not stick to a class. */
  EXPECT_OK(MPI_Error_string(MPI_ERR_TYPE, text, &length));
  EXPECT_TEXT(text, "invalid datatype");
}

static void info_limits_have_classes_of_their_own(void) {
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], text[16];
  int flag, length = -1;
  memset(key, 'k', sizeof key);
  memset(value, 'v', sizeof value);
  key[sizeof key - 1] = value[sizeof value - 1] = 0;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_INT(MPI_Info_set(info, key, "x"), MPI_ERR_INFO_KEY);
  EXPECT_INT(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY);
  EXPECT_INT(MPI_Info_set(info, "x", value), MPI_ERR_INFO_VALUE);
  EXPECT_INT(MPI_Info_delete(info, "x"), MPI_ERR_INFO_NOKEY);
  EXPECT_INT(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
  EXPECT_INT(MPI_Info_get_string(info, "x", &length, text, &flag), MPI_ERR_ARG);
  EXPECT_INT(MPI_Info_set(info, NULL, "x"), MPI_ERR_ARG);
  EXPECT_OK(MPI_Info_free(&info));
}

/* What is not built says so. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  standard_classes_have_texts();
  programs_add_and_remove_codes();
  a_handler_of_the_program_is_called_with_its_communicator();
  explanations_name_the_argument();
  info_limits_have_classes_of_their_own();
  MPI_Finalize();
  return expect_result();
}
