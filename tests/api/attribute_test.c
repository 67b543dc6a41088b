/* Attributes of communicators and datatypes: values, callbacks and their order. One process. */
#include "expect.h"

static int copies, deletes, refuse;
static void* last_deleted;

static int count_copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)keyval;
  EXPECT(comm == MPI_COMM_WORLD);
  EXPECT(extra == &copies);
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int count_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval;
  EXPECT(extra == &copies);
  ++deletes;
  last_deleted = value;
  return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int type_delete(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)keyval, (void)extra, (void)value;
  EXPECT(type == MPI_INT);
  ++deletes;
  return MPI_SUCCESS;
}

static void predefined_attributes_have_values(void) {
  int *value = NULL, flag = 0;
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  EXPECT(flag && *value >= 32767);
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
  EXPECT(flag && *value == MPI_ANY_SOURCE);
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
  EXPECT(flag && (*value == 0 || *value == 1));
  EXPECT_OK(MPI_Attr_get(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
  EXPECT(flag && *value >= MPI_ERR_LASTCODE);
  EXPECT_INT(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, value), MPI_ERR_KEYVAL);
  EXPECT_INT(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
}

static void values_are_kept_replaced_and_deleted(void) {
  int key = 0, flag = -1, one = 1, two = 2;
  void* value = NULL;
  copies = deletes = refuse = 0;
  EXPECT_OK(MPI_Comm_create_keyval(count_copy, count_delete, &key, &copies));
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &one));
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  EXPECT(flag && value == &one);
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &two));
  EXPECT_INT(deletes, 1);
  EXPECT(last_deleted == &one);
  refuse = 1;
  EXPECT_INT(MPI_Comm_delete_attr(MPI_COMM_WORLD, key), MPI_ERR_OTHER);
  refuse = 0;
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  EXPECT(flag && value == &two);
  /* A freed key serves its attributes as long as there are any; it cannot be freed again. */
  int freed = key;
  EXPECT_OK(MPI_Comm_free_keyval(&key));
  EXPECT_INT(key, MPI_KEYVAL_INVALID);
  EXPECT_INT(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  int again = freed;
  EXPECT_INT(MPI_Comm_free_keyval(&again), MPI_ERR_KEYVAL);
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, freed, &value, &flag));
  EXPECT(flag && value == &two);
  EXPECT_INT(deletes, 2);
  EXPECT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, freed));
  EXPECT_INT(deletes, 3);
  EXPECT_INT(MPI_Comm_delete_attr(MPI_COMM_WORLD, freed), MPI_ERR_KEYVAL);
  EXPECT_INT(MPI_Comm_get_attr(MPI_COMM_WORLD, freed, &value, &flag), MPI_ERR_KEYVAL);
}

static int order[8], order_length;

static int note_order(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  order[order_length++] = *(int*)value;
  return MPI_SUCCESS;
}

/* Copied in the order they were set, deleted in the reverse one. */
static void duplicates_get_what_the_callbacks_give(void) {
  int key = 0, plain = 0, uncopied = 0, flag = 0, one = 1;
  char memory[2];
  void* value = NULL;
  MPI_Comm copy;
  copies = deletes = refuse = 0;
  EXPECT_OK(MPI_Comm_create_keyval(count_copy, count_delete, &key, &copies));
  EXPECT_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
  EXPECT_OK(
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &uncopied, NULL));
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, memory));
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, plain, &one));
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, uncopied, &one));
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  EXPECT_INT(copies, 1);
  EXPECT_OK(MPI_Comm_get_attr(copy, key, &value, &flag));
  EXPECT(flag && value == memory + 1);
  EXPECT_OK(MPI_Comm_get_attr(copy, plain, &value, &flag));
  EXPECT(flag && value == &one);
  EXPECT_OK(MPI_Comm_get_attr(copy, uncopied, &value, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_OK(MPI_Comm_free(&copy));
  EXPECT_INT(deletes, 1);
  EXPECT(last_deleted == memory + 1);
  refuse = 1;
  EXPECT_INT(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_ERR_OTHER);
  refuse = 0;
  EXPECT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
  EXPECT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, plain));
  EXPECT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, uncopied));
  EXPECT_OK(MPI_Comm_free_keyval(&key));
  EXPECT_OK(MPI_Comm_free_keyval(&plain));
  EXPECT_OK(MPI_Comm_free_keyval(&uncopied));
}

static void a_freed_communicator_deletes_the_latest_first(void) {
  int keys[3], values[3] = {0, 1, 2};
  MPI_Comm copy;
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_order, &keys[i], NULL));
    EXPECT_OK(MPI_Comm_set_attr(copy, keys[i], &values[i]));
    EXPECT_OK(MPI_Comm_free_keyval(&keys[i]));
  }
  order_length = 0;
  EXPECT_OK(MPI_Comm_free(&copy));
  EXPECT_INT(order_length, 3);
  for (int i = 0; i < 3; ++i) EXPECT_INT(order[i], 2 - i);
}

/* The standard's hook for libraries: attributes of MPI_COMM_SELF go when MPI_Finalize begins. */
static int finalize_calls, running_then = -1;

static int at_finalize(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)value, (void)extra;
  int rank = -1, finalized = -1;
  EXPECT(comm == MPI_COMM_SELF);
  EXPECT_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  EXPECT_INT(rank, 0);
  EXPECT_OK(MPI_Finalized(&finalized));
  running_then = !finalized;
  ++finalize_calls;
  return MPI_SUCCESS;
}

static void hook_finalize(void) {
  static int one = 1;
  int key = 0;
  EXPECT_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL));
  EXPECT_OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &one));
}

static void older_names_mean_the_same(void) {
  int key = 0, flag = 0, one = 1;
  void* value = NULL;
  EXPECT_OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
  EXPECT_OK(MPI_Attr_put(MPI_COMM_WORLD, key, &one));
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  EXPECT(flag && value == &one);
  EXPECT_OK(MPI_Attr_delete(MPI_COMM_WORLD, key));
  EXPECT_OK(MPI_Attr_delete(MPI_COMM_WORLD, key)); /* none is set any more */
  EXPECT_OK(MPI_Keyval_free(&key));
}

static void datatypes_have_keys_of_their_own(void) {
  int type_key = 0, comm_key = 0, flag = 0, one = 1;
  void* value = NULL;
  deletes = 0;
  EXPECT_OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, type_delete, &type_key, NULL));
  EXPECT_OK(
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL));
  EXPECT_OK(MPI_Type_set_attr(MPI_INT, type_key, &one));
  EXPECT_OK(MPI_Type_get_attr(MPI_INT, type_key, &value, &flag));
  EXPECT(flag && value == &one);
  EXPECT_OK(MPI_Type_get_attr(MPI_DOUBLE, type_key, &value, &flag));
  EXPECT_INT(flag, 0);
  EXPECT_INT(MPI_Type_set_attr(MPI_INT, comm_key, &one), MPI_ERR_KEYVAL);
  EXPECT_INT(MPI_Comm_set_attr(MPI_COMM_WORLD, type_key, &one), MPI_ERR_KEYVAL);
  EXPECT_OK(MPI_Type_delete_attr(MPI_INT, type_key));
  EXPECT_INT(deletes, 1);
  EXPECT_OK(MPI_Type_free_keyval(&type_key));
  EXPECT_OK(MPI_Comm_free_keyval(&comm_key));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  predefined_attributes_have_values();
  duplicates_get_what_the_callbacks_give();
  values_are_kept_replaced_and_deleted();
  older_names_mean_the_same();
  datatypes_have_keys_of_their_own();
  a_freed_communicator_deletes_the_latest_first();
  hook_finalize();
  MPI_Finalize();
  EXPECT_INT(finalize_calls, 1);
  EXPECT_INT(running_then, 1);
  return expect_result();
}
