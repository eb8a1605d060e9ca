//===- shared_files.c - open files of other processes ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File descriptors go between processes of one machine by Unix sockets in the abstract namespace. Each process binds
// one, and all gather their names. Then each sends its descriptor to the members of its group. A message has the random
// number that its receiver has told the others, so that no other program can slip one in.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // SOCK_CLOEXEC, MSG_CMSG_CLOEXEC

#include "runtime/world/shared_files.h"

#include "runtime/seconds.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MACHINE_BYTES = 40 };

/// What a process tells the others of itself.
typedef struct {
  char machine[MACHINE_BYTES]; ///< the same for processes since one start of one machine
  uint64_t secret;             ///< for those who send to it
  struct sockaddr_un address;
  socklen_t addressBytes; ///< 0: it takes no part
} Contact;

typedef struct {
  uint64_t secret;
  int64_t rank; ///< of the sender
} Message;

//===----------------------------------------------------------------------===//
// Sockets
//===----------------------------------------------------------------------===//

static void readMachine(char *machine) {
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (file && !fgets(machine, MACHINE_BYTES, file))
    machine[0] = '\0';
  if (file)
    fclose(file);
}

/// A socket whose name the system chooses; -1: there is none.
static int openContact(Contact *contact) {
  *contact = (Contact){.address = {.sun_family = AF_UNIX}};
  readMachine(contact->machine);
  int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t bytes = sizeof(contact->address);
  bool isBound = made >= 0 && bind(made, (struct sockaddr *)&contact->address, sizeof(sa_family_t)) == 0 &&
                 getsockname(made, (struct sockaddr *)&contact->address, &bytes) == 0 &&
                 getrandom(&contact->secret, sizeof(contact->secret), 0) == sizeof(contact->secret);
  if (isBound) {
    contact->addressBytes = bytes;
    return made;
  }
  if (made >= 0)
    close(made);
  return -1;
}

/// Room for one descriptor beside a message.
typedef union {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
} Attached;

static bool sendFile(int from, const Contact *to, int64_t rank, int file) {
  Message message = {to->secret, rank};
  struct iovec part = {&message, sizeof(message)};
  Attached attached = {
      .header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  struct sockaddr_un address = to->address;
  struct msghdr header = {.msg_name = &address,
                          .msg_namelen = to->addressBytes,
                          .msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = attached.bytes,
                          .msg_controllen = sizeof(attached.bytes)};
  memcpy(CMSG_DATA(&attached.header), &file, sizeof(file));
  return sendmsg(from, &header, MSG_NOSIGNAL) == (ssize_t)sizeof(message);
}

/// The descriptor of a message that has come; -1: it is none of ours.
static int takeFile(int at, uint64_t secret, int64_t *rank) {
  Message message = {0, -1};
  struct iovec part = {&message, sizeof(message)};
  Attached attached = {.bytes = {0}};
  struct msghdr header = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = attached.bytes, .msg_controllen = sizeof(attached.bytes)};
  ssize_t bytes = recvmsg(at, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const struct cmsghdr *first = bytes >= 0 ? CMSG_FIRSTHDR(&header) : NULL;
  if (!first || first->cmsg_type != SCM_RIGHTS || first->cmsg_len != CMSG_LEN(sizeof(int)))
    return -1;
  int file = -1;
  memcpy(&file, CMSG_DATA(first), sizeof(file));
  *rank = message.rank;
  if (bytes == (ssize_t)sizeof(message) && message.secret == secret)
    return file;
  close(file);
  return -1;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static bool canMeet(const Contact *contacts, int64_t count) {
  bool can = *contacts[0].machine;
  for (int64_t i = 0; i < count; ++i)
    can = can && contacts[i].addressBytes && strcmp(contacts[i].machine, contacts[0].machine) == 0;
  return can;
}

static void closeAll(int *files, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (files[i] >= 0)
      close(files[i]);
    files[i] = -1;
  }
}

/// Waits for the messages of all other members; false if they do not come within the limit.
static bool receiveAll(StitchPeers *peers, StitchWorldGroup group, int at, uint64_t secret, int *files) {
  enum { MILLISECONDS = 20 };
  double end = secondsNow() + stitchPeersTimeLimit(peers);
  int64_t missing = 0;
  for (int64_t i = 0; i < group.count; ++i)
    missing += files[i] < 0;
  while (missing > 0 && secondsNow() < end) {
    StitchStatus failure = stitchPeersFailure(peers);
    stitchStatusFree(failure);
    if (failure)
      return false;
    struct pollfd polled = {.fd = at, .events = POLLIN};
    int64_t rank = -1;
    int file = poll(&polled, 1, MILLISECONDS) > 0 ? takeFile(at, secret, &rank) : -1;
    for (int64_t i = 0; i < group.count && file >= 0; ++i)
      if (group.ranks[i] == rank && files[i] < 0) {
        files[i] = file;
        file = -1;
        --missing;
      }
    if (file >= 0)
      close(file);
  }
  return missing == 0;
}

static bool exchangeFiles(StitchPeers *peers, StitchWorldGroup group, int at, const Contact *contacts, int own,
                          int *files) {
  int64_t rank = stitchPeersRank(peers);
  for (int64_t i = 0; i < group.count; ++i) {
    bool isOwn = group.ranks[i] == rank;
    files[i] = isOwn ? dup(own) : -1;
    if (isOwn ? files[i] < 0 : !sendFile(at, &contacts[group.ranks[i]], rank, own))
      return false;
  }
  return receiveAll(peers, group, at, contacts[rank].secret, files);
}

/// Whether all processes say yes.
static StitchStatus agree(StitchPeers *peers, bool own, bool *all) {
  int64_t count = stitchPeersSize(peers);
  char answer = own, *answers = calloc((size_t)count, 1);
  StitchStatus status = answers ? stitchPeersGather(peers, "memory that processes share", &answer, 1, answers)
                                : stitchStatusOutOfMemory();
  *all = !status;
  for (int64_t i = 0; i < count && !status; ++i)
    *all = *all && answers[i];
  free(answers);
  return status;
}

StitchStatus stitchPeersShareFiles(StitchPeers *peers, StitchWorldGroup group, int own, int *files, bool *areShared) {
  int64_t count = stitchPeersSize(peers);
  Contact contact, *contacts = calloc((size_t)count, sizeof(*contacts));
  *areShared = false;
  for (int64_t i = 0; i < group.count; ++i)
    files[i] = -1;
  if (!contacts)
    return stitchStatusOutOfMemory();
  int at = openContact(&contact);
  if (own < 0 || group.count == 0)
    contact.addressBytes = 0;
  StitchStatus status = stitchPeersGather(peers, "the addresses of shared memory", &contact, sizeof(contact), contacts);
  if (!status && canMeet(contacts, count))
    status = agree(peers, exchangeFiles(peers, group, at, contacts, own, files), areShared);
  if (!*areShared)
    closeAll(files, group.count);
  if (at >= 0)
    close(at);
  free(contacts);
  return status;
}
