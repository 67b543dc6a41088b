/* Info objects, all of it before MPI_Init: the standard lets a program do that. */
#include <stdlib.h>

#include "expect.h"

/* In time in proportion to them: the watchdog is this test's. */
static void many_keys_are_found_listed_and_deleted(void) {
  enum { many = 200000 };
  MPI_Info info, copy;
  char key[MPI_MAX_INFO_KEY], value[16];
  int flag = 0, keys = 0;
  EXPECT_OK(MPI_Info_create(&info));
  for (int i = 0; i < many; ++i) {
    snprintf(key, sizeof key, "key %d", i);
    MPI_Info_set(info, key, key + 4);
  }
  EXPECT_OK(MPI_Info_dup(info, &copy));
  int wrong = 0;
  for (int i = 0; i < many; ++i) {
    MPI_Info_get_nthkey(copy, i, key);
    MPI_Info_get(copy, key, sizeof value - 1, value, &flag);
    wrong += !flag || atoi(value) != i;
  }
  for (int i = many - 1; i >= 0; i -= 2) {
    MPI_Info_get_nthkey(copy, i, key);
    wrong += MPI_Info_delete(copy, key) != MPI_SUCCESS;
  }
  EXPECT_INT(wrong, 0);
  EXPECT_OK(MPI_Info_get_nkeys(copy, &keys));
  EXPECT_INT(keys, many / 2);
  for (int i = 0; i < many / 2; ++i) {
    MPI_Info_get_nthkey(copy, 0, key);
    wrong += atoi(key + 4) != 2 * i || MPI_Info_delete(copy, key) != MPI_SUCCESS;
  }
  EXPECT_INT(wrong, 0);
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_Info_free(&copy));
}

static void keys_keep_their_order_and_values_are_replaced(void) {
  MPI_Info info;
  char text[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY];
  int count = -1, flag = -1, length = -1;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, "first", "1"));
  EXPECT_OK(MPI_Info_set(info, "second", "2"));
  EXPECT_OK(MPI_Info_set(info, "third", "3"));
  EXPECT_OK(MPI_Info_set(info, "first", "one"));
  EXPECT_OK(MPI_Info_delete(info, "second"));
  EXPECT_OK(MPI_Info_set(info, "fourth", "4"));
  EXPECT_OK(MPI_Info_get_nkeys(info, &count));
  EXPECT_INT(count, 3);
  const char* expected[] = {"first", "third", "fourth"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(MPI_Info_get_nthkey(info, i, key));
    EXPECT_TEXT(key, expected[i]);
  }
  EXPECT_OK(MPI_Info_get(info, "first", 100, text, &flag));
  EXPECT_INT(flag, 1);
  EXPECT_TEXT(text, "one");
  EXPECT_OK(MPI_Info_get(info, "first", 2, text, &flag));
  EXPECT_TEXT(text, "on");
  EXPECT_OK(MPI_Info_get(info, "second", 100, text, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_OK(MPI_Info_get_valuelen(info, "third", &length, &flag));
  EXPECT_INT(flag, 1);
  EXPECT_INT(length, 1);
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT(info == MPI_INFO_NULL);
}

/* The length counts the terminating zero, going in and coming out. */
static void get_string_reports_the_space_it_needs(void) {
  MPI_Info info;
  char text[16];
  int length = 0, flag = 0;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, "key", "12345"));
  EXPECT_OK(MPI_Info_get_string(info, "key", &length, NULL, &flag));
  EXPECT_INT(flag, 1);
  EXPECT_INT(length, 6);
  length = 4;
  EXPECT_OK(MPI_Info_get_string(info, "key", &length, text, &flag));
  EXPECT_TEXT(text, "123");
  EXPECT_INT(length, 6);
  EXPECT_OK(MPI_Info_get_string(info, "key", &length, text, &flag));
  EXPECT_TEXT(text, "12345");
  length = 7;
  EXPECT_OK(MPI_Info_get_string(info, "none", &length, text, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_INT(length, 7);
  EXPECT_OK(MPI_Info_free(&info));
}

static void a_copy_is_independent(void) {
  MPI_Info info, copy;
  char text[16];
  int flag = 0;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, "key", "before"));
  EXPECT_OK(MPI_Info_dup(info, &copy));
  EXPECT_OK(MPI_Info_set(info, "key", "after"));
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_Info_get(copy, "key", 15, text, &flag));
  EXPECT_TEXT(text, "before");
  EXPECT_OK(MPI_Info_free(&copy));
}

static void the_longest_key_and_value_fit(void) {
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
  char key_back[MPI_MAX_INFO_KEY], value_back[MPI_MAX_INFO_VAL];
  int flag = 0, length = sizeof value_back;
  memset(key, 'k', sizeof key);
  memset(value, 'v', sizeof value);
  key[sizeof key - 1] = value[sizeof value - 1] = 0;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, key, value));
  EXPECT_OK(MPI_Info_get_nthkey(info, 0, key_back));
  EXPECT_TEXT(key_back, key);
  EXPECT_OK(MPI_Info_get_string(info, key, &length, value_back, &flag));
  EXPECT_TEXT(value_back, value);
  EXPECT_OK(MPI_Info_free(&info));
}

static void the_environment_describes_this_process(void) {
  MPI_Info info;
  char text[MPI_MAX_INFO_VAL];
  int flag = 0, length = sizeof text;
  EXPECT_OK(MPI_Info_create_env(0, NULL, &info));
  EXPECT_OK(MPI_Info_get_string(info, "command", &length, text, &flag));
  EXPECT_INT(flag, 1);
  EXPECT_IN(text, "info_test");
  length = sizeof text;
  EXPECT_OK(MPI_Info_get_string(info, "wdir", &length, text, &flag));
  EXPECT_INT(flag, 1);
  EXPECT(text[0] == '/');
  EXPECT_OK(MPI_Info_free(&info));
}

static void the_abi_describes_itself(void) {
  MPI_Info info;
  char text[16];
  int major = -1, minor = -1, flag = 0, initialized = -1;
  unsigned char yes[16], no[16];
  EXPECT_OK(MPI_Initialized(&initialized));
  EXPECT_INT(initialized, 0);
  EXPECT_OK(MPI_Abi_get_version(&major, &minor));
  EXPECT_INT(major, MPI_ABI_VERSION);
  EXPECT_INT(minor, MPI_ABI_SUBVERSION);
  EXPECT_OK(MPI_Abi_get_info(&info));
  EXPECT_OK(MPI_Info_get(info, "mpi_count_size", 15, text, &flag));
  EXPECT_INT(flag, 1);
  EXPECT_INT(atoi(text), sizeof(MPI_Count));
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_Abi_get_fortran_info(&info));
  EXPECT_OK(MPI_Info_get(info, "mpi_integer_size", 15, text, &flag));
  EXPECT_INT(atoi(text), sizeof(MPI_Fint));
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_Abi_get_fortran_booleans(4, yes, no, &flag));
  EXPECT_INT(flag, 1);
  EXPECT(memcmp(yes, no, 4) != 0);
  EXPECT_OK(MPI_Abi_set_fortran_booleans(4, yes, no));
}

static void the_integer_form_comes_back(void) {
  MPI_Info info;
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT(MPI_Info_fromint(MPI_Info_toint(info)) == info);
  EXPECT(MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  EXPECT(MPI_Info_toint(info) > 0);
  EXPECT_INT(MPI_Info_toint(MPI_INFO_NULL), 0x130);
  EXPECT(MPI_Info_fromint(0x131) == MPI_INFO_ENV);
  EXPECT_INT(MPI_Type_toint(MPI_INT), 0x209);
  EXPECT(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
  EXPECT_OK(MPI_Info_free(&info));
}

int main(void) {
  many_keys_are_found_listed_and_deleted();
  keys_keep_their_order_and_values_are_replaced();
  get_string_reports_the_space_it_needs();
  a_copy_is_independent();
  the_longest_key_and_value_fit();
  the_environment_describes_this_process();
  the_abi_describes_itself();
  the_integer_form_comes_back();
  return expect_result();
}
