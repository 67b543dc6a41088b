/* Jobs that meet at a port. usage: ports_program accept|connect|... FOLDER [NUMBER] (see main) */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/dynamic/meeting.h"

static int rank, size;

/* The port's name goes through a file that appears when it is complete. */
static void tell_port(const char* folder, const char* port) {
  char path[512], fresh[520];
  snprintf(path, sizeof path, "%s/port", folder);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE* file = fopen(fresh, "w");
  CHECK(file && fputs(port, file) >= 0 && fclose(file) == 0 && rename(fresh, path) == 0);
}

static void hear_port(const char* folder, char* port) {
  char path[512];
  snprintf(path, sizeof path, "%s/port", folder);
  FILE* file = NULL;
  while (!(file = fopen(path, "r"))) usleep(1000);
  CHECK(fgets(port, MPI_MAX_PORT_NAME, file));
  fclose(file);
}

static MPI_Comm meet_at(const char* what, const char* port) {
  MPI_Comm inter;
  /* Arguments count at the root only. */
  const int root = size - 1;
  const char* name = rank == root ? port : NULL;
  if (strcmp(what, "accept") == 0)
    MPI_Comm_accept(name, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter);
  else
    MPI_Comm_connect(name, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter);
  return inter;
}

/* Meets so often; the connections end by turns in both ways. */
static void meet(const char* what, const char* folder, int times) {
  char port[MPI_MAX_PORT_NAME] = "";
  const int accepts = strcmp(what, "accept") == 0;
  if (rank == size - 1) {
    if (accepts) {
      MPI_Open_port(MPI_INFO_NULL, port);
      tell_port(folder, port);
    } else {
      hear_port(folder, port);
    }
  }
  for (int i = 0; i < times; ++i) {
    MPI_Comm inter = meet_at(what, port);
    if (i == 0 || i == times - 1)
      use_intercommunicator(inter, accepts);
    else
      exchange_messages(inter);
    if (i % 2)
      MPI_Comm_free(&inter);
    else
      MPI_Comm_disconnect(&inter);
  }
  if (accepts && rank == size - 1) MPI_Close_port(port);
}

/* One server, two clients that do not know each other: they get one communicator over the server.
 */
static void meet_three(const char* role, const char* folder) {
  char port[MPI_MAX_PORT_NAME] = "";
  const int serves = strcmp(role, "server") == 0;
  if (serves && rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    tell_port(folder, port);
  } else if (rank == 0) {
    hear_port(folder, port);
  }
  MPI_Comm one, two, both, bridge;
  if (serves) {
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &one);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &two);
    MPI_Intercomm_merge(one, 0, &both);
    /* The second client's ranks meet all of server and first client. */
    int which = 0;
    MPI_Bcast(&which, 1, MPI_INT, 0, both);
    MPI_Comm talk;
    MPI_Intercomm_merge(two, 0, &talk);
    which = 1;
    MPI_Bcast(&which, 1, MPI_INT, 0, talk);
    int at;
    MPI_Comm_size(MPI_COMM_WORLD, &at);
    MPI_Intercomm_create(both, 0, talk, at, 9, &bridge);
    use_intercommunicator(bridge, 0);
    MPI_Comm_free(&talk);
    MPI_Comm_disconnect(&bridge);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&two);
    MPI_Comm_disconnect(&one);
    if (rank == 0) MPI_Close_port(port);
    return;
  }
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &one);
  MPI_Intercomm_merge(one, 1, &both);
  int which = -1;
  MPI_Bcast(&which, 1, MPI_INT, 0, both);
  if (which == 0)
    MPI_Intercomm_create(both, 0, MPI_COMM_SELF, 0, 9, &bridge);
  else
    MPI_Intercomm_create(MPI_COMM_WORLD, 0, both, 0, 9, &bridge);
  use_intercommunicator(bridge, which);
  MPI_Comm_disconnect(&bridge);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&one);
}

/* A socket that connects two processes; `folder` is where it lies. */
static int connect_locally(int first, const char* folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!first) {
    while (connect(end, (struct sockaddr*)&address, sizeof address) != 0) usleep(1000);
    return end;
  }
  const int listening = end;
  CHECK(bind(listening, (struct sockaddr*)&address, sizeof address) == 0 &&
        listen(listening, 1) == 0);
  end = accept(listening, NULL, NULL);
  close(listening);
  return end;
}

/* One of TCP: the first one listens at `host`, and tells the number in a file. */
static int connect_by_tcp(int first, const char* folder, const char* host) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  char number[MPI_MAX_PORT_NAME];
  CHECK(inet_pton(AF_INET, host, &address.sin_addr) == 1);
  int end = socket(AF_INET, SOCK_STREAM, 0);
  if (!first) {
    hear_port(folder, number);
    address.sin_port = htons((unsigned short)atoi(number));
    CHECK(connect(end, (struct sockaddr*)&address, sizeof address) == 0);
    return end;
  }
  const int listening = end;
  socklen_t bytes = sizeof address;
  CHECK(bind(listening, (struct sockaddr*)&address, sizeof address) == 0 &&
        listen(listening, 1) == 0 &&
        getsockname(listening, (struct sockaddr*)&address, &bytes) == 0);
  snprintf(number, sizeof number, "%d", ntohs(address.sin_port));
  tell_port(folder, number);
  end = accept(listening, NULL, NULL);
  close(listening);
  return end;
}

/* Two processes that a socket connects, the last of their jobs; by TCP if a host is named. */
static void join(const char* role, const char* folder, const char* host) {
  if (rank != size - 1) return;
  const int first = strcmp(role, "join_first") == 0;
  const int end = host ? connect_by_tcp(first, folder, host) : connect_locally(first, folder);
  MPI_Comm inter;
  MPI_Comm_join(end, &inter);
  use_intercommunicator(inter, first);
  MPI_Comm_disconnect(&inter);
  /* The socket is the program's again, with nothing left in it. */
  char byte = 'x';
  CHECK(write(end, &byte, 1) == 1 && read(end, &byte, 1) == 1 && byte == 'x');
  close(end);
}

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void expect(int code, int class, const char* words) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  if (class_of(code) != class)
    fprintf(stderr, "class %d instead of %d: %s\n", class_of(code), class, text);
  CHECK(class_of(code) == class);
  if (code == MPI_SUCCESS) return;
  if (!strstr(text, words)) fprintf(stderr, "\"%s\" is not in: %s\n", words, text);
  CHECK(strstr(text, words));
}

/* What is wrong fails with words, on all ranks, and leaves everything usable. */
static void fail(void) {
  MPI_Comm inter;
  char port[MPI_MAX_PORT_NAME], other[MPI_MAX_PORT_NAME];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const char* at_root = rank == 0 ? "(port_name)" : "the local leader (rank 0) gave up";
  expect(MPI_Comm_connect("nonsense", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT,
         at_root);
  CHECK(inter == MPI_COMM_NULL);
  expect(MPI_Comm_accept("nonsense", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT,
         at_root);
  expect(MPI_Comm_connect("baton:0123456789abcdef0123456789abcdef.0123456789abcdef0123456789abcdef",
                          MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter),
         MPI_ERR_PORT, at_root);
  expect(MPI_Close_port("nonsense"), MPI_ERR_PORT, "MPI_Open_port");
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
  /* Whoever knows the address, but not the secret, is sent away. */
  strcpy(other, port);
  char* secret = strchr(other, '.') + 1;
  secret[0] = secret[0] == '0' ? '1' : '0';
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "timeout", "0.2");
  if (rank == 0) {
    expect(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
           "nobody has accepted");
    expect(MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "");
    expect(MPI_Comm_connect(other, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "");
    expect(MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
           "nobody has connected");
  }
  MPI_Info_set(info, "timeout", "soon");
  expect(MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_INFO_VALUE, "timeout");
  MPI_Info_free(&info);
  CHECK(MPI_Close_port(port) == MPI_SUCCESS);
  expect(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
         "(port_name)");
  expect(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
         "there is no port");
  expect(MPI_Comm_join(-1, &inter), MPI_ERR_PORT, "Bad file descriptor");
  int sum = 0;
  MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * size);
}

/* A process without a network cannot meet a job over several nodes: both hear of it, and go on. */
static void be_refused(const char* role, const char* folder) {
  char port[MPI_MAX_PORT_NAME] = "";
  const int accepts = strcmp(role, "refused") == 0;
  MPI_Comm inter;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0 && accepts) {
    MPI_Open_port(MPI_INFO_NULL, port);
    tell_port(folder, port);
  } else if (rank == 0) {
    hear_port(folder, port);
  }
  expect(accepts ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)
                 : MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter),
         MPI_ERR_OTHER, accepts ? "has no network to meet over" : "/no/such/library");
  int sum = 0;
  MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * size);
}

/* A port's name has an address for other hosts. Strangers there are sent away, and who connects by
   it waits as ever. */
static void use_tcp(void) {
  char port[MPI_MAX_PORT_NAME], far[MPI_MAX_PORT_NAME];
  MPI_Comm inter;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "ip_address", "127.0.0.1");
  CHECK(MPI_Open_port(info, port) == MPI_SUCCESS && strstr(port, "@127.0.0.1:"));
  MPI_Close_port(port);
  MPI_Info_set(info, "ip_address", "nowhere");
  expect(MPI_Open_port(info, port), MPI_ERR_INFO_VALUE, "nowhere");
  MPI_Info_set(info, "ip_port", "many");
  expect(MPI_Open_port(info, port), MPI_ERR_INFO_VALUE, "many");
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS && strstr(port, "@127.0.0.1:"));
  /* The same port as other hosts see it: they do not find the socket of this one. */
  strcpy(far, port);
  far[strlen("baton:")] = far[strlen("baton:")] == '0' ? '1' : '0';
  MPI_Info_set(info, "timeout", "0.3");
  expect(MPI_Comm_connect(far, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
         "nobody has accepted");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  address.sin_port = htons((unsigned short)atoi(strrchr(port, ':') + 1));
  const char* words[] = {"", "btnport1 and whatever",
                         "GET / HTTP/1.1 and much more than that, for long"};
  for (int i = 0; i < 3; ++i) {
    const int end = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(end, (struct sockaddr*)&address, sizeof address) == 0);
    CHECK(write(end, words[i], strlen(words[i])) == (ssize_t)strlen(words[i]));
    expect(MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
           "nobody has connected");
    close(end);
  }
  MPI_Close_port(port);
  expect(MPI_Comm_connect(far, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
         "there is no port at");
  /* An address that leads nowhere, of a network for examples. */
  strcpy(strchr(far, '@'), "@192.0.2.200:1");
  expect(MPI_Comm_connect(far, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "192.0.2.200");
  MPI_Info_free(&info);
}

/* Names, as one process sees them. */
static void publish(const char* service) {
  char found[MPI_MAX_PORT_NAME] = "";
  MPI_Info job, user, neither;
  MPI_Info_create(&job);
  MPI_Info_set(job, "scope", "job");
  MPI_Info_create(&user);
  MPI_Info_set(user, "scope", "user");
  MPI_Info_create(&neither);
  MPI_Info_set(neither, "scope", "galaxy");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    expect(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_ERR_NAME, "nobody publishes");
    CHECK(MPI_Publish_name(service, user, "first port") == MPI_SUCCESS);
    expect(MPI_Publish_name(service, MPI_INFO_NULL, "again"), MPI_ERR_SERVICE, "published already");
    CHECK(MPI_Publish_name(service, job, "second port") == MPI_SUCCESS);
    expect(MPI_Publish_name(service, neither, "x"), MPI_ERR_INFO_VALUE, "galaxy");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_Lookup_name(service, MPI_INFO_NULL, found) == MPI_SUCCESS &&
        !strcmp(found, "second port"));
  CHECK(MPI_Lookup_name(service, user, found) == MPI_SUCCESS && !strcmp(found, "first port"));
  CHECK(MPI_Lookup_name(service, job, found) == MPI_SUCCESS && !strcmp(found, "second port"));
  expect(MPI_Lookup_name("", MPI_INFO_NULL, found), MPI_ERR_ARG, "empty");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0)
    expect(MPI_Unpublish_name(service, MPI_INFO_NULL, "x"), MPI_ERR_SERVICE, "has not published");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    CHECK(MPI_Unpublish_name(service, job, "second port") == MPI_SUCCESS);
    CHECK(MPI_Lookup_name(service, MPI_INFO_NULL, found) == MPI_SUCCESS &&
          !strcmp(found, "first port"));
    CHECK(MPI_Unpublish_name(service, MPI_INFO_NULL, "first port") == MPI_SUCCESS);
    expect(MPI_Unpublish_name(service, MPI_INFO_NULL, "first port"), MPI_ERR_SERVICE, service);
    expect(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_ERR_NAME, service);
    /* Such names are left to MPI_Finalize, or to the end of the process. */
    MPI_Publish_name(service, MPI_INFO_NULL, "left");
  }
  MPI_Info_free(&job);
  MPI_Info_free(&user);
  MPI_Info_free(&neither);
}

/* Waits for a message of a job that never sends one, because it dies or leaves. */
static void await_the_other(const char* folder) {
  char port[MPI_MAX_PORT_NAME] = "";
  if (rank == size - 1) {
    MPI_Open_port(MPI_INFO_NULL, port);
    tell_port(folder, port);
  }
  MPI_Comm inter = meet_at("accept", port);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  MPI_Barrier(inter);
  int value = 0;
  /* The last thing that it has sent still comes. */
  expect(MPI_Recv(&value, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE), MPI_SUCCESS, "");
  CHECK(value == 17);
  expect(MPI_Recv(&value, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "has ended");
  char* much = calloc(1, 8 << 20);
  expect(MPI_Send(much, 8 << 20, MPI_BYTE, 0, 2, inter), MPIX_ERR_PROC_FAILED, "has ended");
  free(much);
  expect(MPI_Barrier(inter), MPIX_ERR_PROC_FAILED, "");
  /* It means nothing to this job's own communicators. */
  int sum = 0;
  MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * size);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  MPI_Comm_disconnect(&inter);
}

static void end_early(const char* folder, const char* how) {
  char port[MPI_MAX_PORT_NAME] = "";
  if (rank == size - 1) hear_port(folder, port);
  MPI_Comm inter = meet_at("connect", port);
  int others, value = 17;
  MPI_Comm_remote_size(inter, &others);
  MPI_Barrier(inter); /* nobody is still on the way here */
  for (int i = 0; rank == 0 && i < others; ++i) MPI_Send(&value, 1, MPI_INT, i, 1, inter);
  if (rank != 0 && strcmp(how, "finalize") != 0) sleep(100);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Finalize();
  exit(0);
}

int main(int count, char** words) {
  const char* what = words[1];
  int level;
  MPI_Init_thread(&count, &words, getenv("THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "accept") == 0 || strcmp(what, "connect") == 0)
    meet(what, words[2], atoi(words[3]));
  if (strcmp(what, "server") == 0 || strcmp(what, "client") == 0) meet_three(what, words[2]);
  if (strncmp(what, "join", 4) == 0) join(what, words[2], count > 3 ? words[3] : NULL);
  if (strcmp(what, "fail") == 0) fail();
  if (strcmp(what, "publish") == 0) publish(words[2]);
  if (strcmp(what, "refused") == 0 || strcmp(what, "refuse") == 0) be_refused(what, words[2]);
  if (strcmp(what, "tcp") == 0) use_tcp();
  if (strcmp(what, "await") == 0) await_the_other(words[2]);
  if (strcmp(what, "end") == 0) end_early(words[2], words[3]);
  if (strcmp(what, "publish") == 0 && count > 3) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s: all checks held\n", what);
  MPI_Finalize();
  return 0;
}
