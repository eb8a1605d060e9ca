//===- connection.c - frames between two processes by TCP -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an address or a socket. Sends and receives frames of a header and a payload, with a timeout, and rejects frames
// with another token.
//
//===----------------------------------------------------------------------===//

#include "runtime/world/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { BACKLOG = 256, LARGEST_PAYLOAD = 1 << 24, PIECE = 1 << 16, SECONDS_TO_SEND = 2 };

static struct addrinfo *addressesOf(const char *host, int port, bool isListener) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = isListener ? AI_PASSIVE : 0};
  struct addrinfo *found = NULL;
  char text[16];
  snprintf(text, sizeof(text), "%d", port);
  return getaddrinfo(host, text, &hints, &found) == 0 ? found : NULL;
}

static int portOf(int listener) {
  struct sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (getsockname(listener, (struct sockaddr *)&address, &size) != 0)
    return 0;
  return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port)
                                       : ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/// A closed socket is -1; those of this process are not its children's.
static int newSocket(const struct addrinfo *address) {
  return socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);
}

StitchStatus stitchConnectionListen(const char *host, int *port, int *listener) {
  struct addrinfo *addresses = addressesOf(host, *port, true);
  const char *where = host ? host : "this machine";
  int error = addresses ? 0 : EADDRNOTAVAIL;
  *listener = -1;
  for (struct addrinfo *a = addresses; a && *listener < 0; a = a->ai_next) {
    int made = newSocket(a), yes = 1;
    if (made >= 0)
      setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    bool listens = made >= 0 && bind(made, a->ai_addr, a->ai_addrlen) == 0 && listen(made, BACKLOG) == 0 &&
                   fcntl(made, F_SETFL, O_NONBLOCK) == 0;
    error = listens ? 0 : errno;
    if (made >= 0 && !listens)
      close(made);
    *listener = listens ? made : -1;
  }
  if (addresses)
    freeaddrinfo(addresses);
  if (*listener < 0)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "process 0 cannot listen at %s, port %d: %s", where, *port,
                            strerror(error));
  *port = portOf(*listener);
  return NULL;
}

/// Small frames are sent immediately, and every wait is bounded.
static void setUp(int made, StitchConnection *connection) {
  int yes = 1;
  struct timeval limit = {SECONDS_TO_SEND, 0};
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  *connection = (StitchConnection){.socket = made};
}

bool stitchConnectionAccept(int listener, StitchConnection *connection) {
  int made = accept(listener, NULL, NULL);
  if (made < 0)
    return false;
  fcntl(made, F_SETFD, FD_CLOEXEC);
  fcntl(made, F_SETFL, 0);
  setUp(made, connection);
  return true;
}

bool stitchConnectionTo(const char *host, int port, StitchConnection *connection) {
  struct addrinfo *addresses = addressesOf(host, port, false);
  bool isConnected = false;
  for (struct addrinfo *a = addresses; a && !isConnected; a = a->ai_next) {
    int made = newSocket(a);
    struct timeval limit = {SECONDS_TO_SEND, 0};
    if (made >= 0)
      setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)); // of connect, too
    isConnected = made >= 0 && connect(made, a->ai_addr, a->ai_addrlen) == 0;
    if (isConnected)
      setUp(made, connection);
    else if (made >= 0)
      close(made);
  }
  if (addresses)
    freeaddrinfo(addresses);
  return isConnected;
}

static bool sendAll(int to, const char *data, size_t bytes) {
  while (bytes > 0) {
    ssize_t sent = send(to, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    data += sent;
    bytes -= (size_t)sent;
  }
  return true;
}

bool stitchConnectionSend(StitchConnection *connection, const StitchFrame *frame, const void *payload) {
  return connection->socket >= 0 && sendAll(connection->socket, (const char *)frame, sizeof(*frame)) &&
         sendAll(connection->socket, payload, (size_t)frame->bytes);
}

/// Makes room for a piece behind the unread bytes, which move to the front.
static bool makeRoom(StitchConnection *c) {
  if (c->taken > 0)
    memmove(c->buffer, c->buffer + c->taken, c->count - c->taken);
  c->count -= c->taken;
  c->taken = 0;
  if (c->capacity - c->count >= PIECE)
    return true;
  char *larger = realloc(c->buffer, c->count + 2 * PIECE);
  if (!larger)
    return false;
  c->buffer = larger;
  c->capacity = c->count + 2 * PIECE;
  return true;
}

bool stitchConnectionRead(StitchConnection *c) {
  while (c->socket >= 0 && makeRoom(c)) {
    ssize_t got = recv(c->socket, c->buffer + c->count, c->capacity - c->count, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return true;
    if (got <= 0)
      return false;
    c->count += (size_t)got;
  }
  return false;
}

bool stitchConnectionTake(StitchConnection *c, uint64_t token, StitchFrame *frame, const void **payload) {
  if (c->count - c->taken < sizeof(*frame))
    return false;
  memcpy(frame, c->buffer + c->taken, sizeof(*frame));
  if (frame->token != token || frame->bytes < 0 || frame->bytes > LARGEST_PAYLOAD) {
    stitchConnectionClose(c);
    return false;
  }
  if (c->count - c->taken - sizeof(*frame) < (size_t)frame->bytes)
    return false;
  *payload = c->buffer + c->taken + sizeof(*frame);
  c->taken += sizeof(*frame) + (size_t)frame->bytes;
  return true;
}

void stitchConnectionClose(StitchConnection *c) {
  if (c->socket >= 0)
    close(c->socket);
  free(c->buffer);
  *c = (StitchConnection){.socket = -1};
}
