/* Reads and writes of a file in all their forms. */
#ifndef FILE_CALLS_H
#define FILE_CALLS_H

#include "conformance.h"

typedef enum { by_offset, individually, shared_pointer } Pointer;
typedef enum { blocking, nonblocking, collective, nonblocking_collective, split } Manner;

typedef struct {
  MPI_File file;
  Pointer pointer;
  Manner manner;
  int writes, large; /* `large`: with counts of MPI_Count */
  MPI_Offset offset;
  void* data;
  MPI_Count count;
  MPI_Datatype type;
} Call;

/* A call with a status, or a request. */
#define FILE_CALL(name, last)                                     \
  (c->large ? name##_c(c->file, c->data, c->count, c->type, last) \
            : name(c->file, c->data, (int)c->count, c->type, last))
#define FILE_CALL_AT(name, last)                                             \
  (c->large ? name##_c(c->file, c->offset, c->data, c->count, c->type, last) \
            : name(c->file, c->offset, c->data, (int)c->count, c->type, last))
#define FILE_BEGIN(name)                                    \
  (c->large ? name##_c(c->file, c->data, c->count, c->type) \
            : name(c->file, c->data, (int)c->count, c->type))
#define FILE_BEGIN_AT(name)                                            \
  (c->large ? name##_c(c->file, c->offset, c->data, c->count, c->type) \
            : name(c->file, c->offset, c->data, (int)c->count, c->type))
#define READ_OR_WRITE(call, first, last, ...) \
  (c->writes ? call(first##write##last, __VA_ARGS__) : call(first##read##last, __VA_ARGS__))

static int call_blocking(const Call* c, MPI_Status* status) {
  if (c->pointer == by_offset) return READ_OR_WRITE(FILE_CALL_AT, MPI_File_, _at, status);
  if (c->pointer == individually) return READ_OR_WRITE(FILE_CALL, MPI_File_, , status);
  return READ_OR_WRITE(FILE_CALL, MPI_File_, _shared, status);
}

static int call_nonblocking(const Call* c, MPI_Request* request) {
  if (c->pointer == by_offset) return READ_OR_WRITE(FILE_CALL_AT, MPI_File_i, _at, request);
  if (c->pointer == individually) return READ_OR_WRITE(FILE_CALL, MPI_File_i, , request);
  return READ_OR_WRITE(FILE_CALL, MPI_File_i, _shared, request);
}

static int call_collective(const Call* c, MPI_Status* status) {
  if (c->pointer == by_offset) return READ_OR_WRITE(FILE_CALL_AT, MPI_File_, _at_all, status);
  if (c->pointer == individually) return READ_OR_WRITE(FILE_CALL, MPI_File_, _all, status);
  return READ_OR_WRITE(FILE_CALL, MPI_File_, _ordered, status);
}

static int call_nonblocking_collective(const Call* c, MPI_Request* request) {
  if (c->pointer == by_offset) return READ_OR_WRITE(FILE_CALL_AT, MPI_File_i, _at_all, request);
  return READ_OR_WRITE(FILE_CALL, MPI_File_i, _all, request);
}

#define BEGIN(call, name) \
  (c->writes ? call(MPI_File_write##name##_begin) : call(MPI_File_read##name##_begin))
static int call_begin(const Call* c) {
  if (c->pointer == by_offset) return BEGIN(FILE_BEGIN_AT, _at_all);
  if (c->pointer == individually) return BEGIN(FILE_BEGIN, _all);
  return BEGIN(FILE_BEGIN, _ordered);
}

#define END(name)                                                   \
  (c->writes ? MPI_File_write##name##_end(c->file, c->data, status) \
             : MPI_File_read##name##_end(c->file, c->data, status))
static int call_end(const Call* c, MPI_Status* status) {
  if (c->pointer == by_offset) return END(_at_all);
  if (c->pointer == individually) return END(_all);
  return END(_ordered);
}

/* Begins a call: at once, with a request, or its first half. */
static int begin_call(const Call* c, MPI_Status* status, MPI_Request* request) {
  switch (c->manner) {
    case blocking:
      return call_blocking(c, status);
    case nonblocking:
      return call_nonblocking(c, request);
    case collective:
      return call_collective(c, status);
    case nonblocking_collective:
      return call_nonblocking_collective(c, request);
    default:
      return call_begin(c);
  }
}

static int end_call(const Call* c, MPI_Status* status, MPI_Request* request) {
  if (c->manner == nonblocking || c->manner == nonblocking_collective)
    return MPI_Wait(request, status);
  return c->manner == split ? call_end(c, status) : MPI_SUCCESS;
}

#endif
