//===- tree_keys.c - keys of measurements in the update tree -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the text of a key while the tree is traversed: context variables, then the variable and its version. It caches
// the entries of all versions.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/tree.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

void stitchTreePush(StitchTree *tree, const char *text, size_t size) {
  StitchKey *key = &tree->key;
  if (key->length + size + 1 > key->capacity) {
    size_t capacity = 2 * (key->length + size + 1);
    char *larger = realloc(key->text, capacity);
    if (!larger) {
      tree->outOfMemory = true;
      return;
    }
    key->text = larger;
    key->capacity = capacity;
  }
  for (size_t i = 0; i < size; ++i) // a key has no blanks
    key->text[key->length + i] = (unsigned char)text[i] <= ' ' ? '_' : text[i];
  key->length += size;
  key->text[key->length] = '\0';
}

void stitchTreeTruncateKey(StitchTree *tree, size_t length) {
  tree->key.length = length;
  if (tree->key.text)
    tree->key.text[length] = '\0';
}

void stitchTreePushVersion(StitchTree *tree, int64_t variable, int64_t version, const char *end) {
  const StitchModelAdaptive *v = &tree->space.variables[variable];
  stitchTreePush(tree, v->name, strlen(v->name));
  stitchTreePush(tree, "=", 1);
  stitchTreePush(tree, v->versions[version], strlen(v->versions[version]));
  stitchTreePush(tree, end, strlen(end));
}

void stitchTreePushSetting(StitchTree *tree, int64_t variable) {
  stitchTreePushVersion(tree, variable, tree->versions[variable], "/");
}

StitchIndexEntry *stitchTreeFindKey(const StitchTree *tree) {
  return tree->outOfMemory ? NULL : stitchIndexFind(&tree->index, tree->key.text);
}

//===----------------------------------------------------------------------===//
// Entries of versions
//===----------------------------------------------------------------------===//

bool stitchTreeCreateKnown(StitchTree *tree) {
  const StitchWirerSpace *space = &tree->space;
  int64_t numVersions = 0;
  for (int64_t i = 0; i < space->numVariables; ++i)
    numVersions += space->variables[i].numVersions;
  tree->known = calloc((size_t)space->numVariables + 1, sizeof(*tree->known));
  StitchKnownVersion *versions = tree->knownVersions = calloc((size_t)numVersions + 1, sizeof(*tree->knownVersions));
  if (!tree->known || !versions)
    return false;
  for (int64_t i = 0; i < space->numVariables; ++i) {
    tree->known[i].versions = versions;
    versions += space->variables[i].numVersions;
  }
  return true;
}

void stitchTreeForgetKnown(StitchTree *tree) {
  for (int64_t i = 0; i < tree->space.numVariables && tree->known; ++i) {
    free(tree->known[i].prefix);
    tree->known[i].prefix = NULL;
  }
}

void stitchTreeDestroyKnown(StitchTree *tree) {
  stitchTreeForgetKnown(tree);
  free(tree->known);
  free(tree->knownVersions);
}

StitchKnown *stitchTreeKnown(StitchTree *tree, int64_t variable) {
  StitchKnown *known = &tree->known[variable];
  const char *prefix = tree->key.text ? tree->key.text : "";
  size_t length = tree->key.length;
  if (known->prefix && known->length == length && memcmp(known->prefix, prefix, length) == 0)
    return known;
  free(known->prefix);
  known->prefix = strndup(prefix, length);
  known->length = length;
  known->best = 0;
  tree->outOfMemory |= !known->prefix;
  memset(known->versions, 0, (size_t)tree->space.variables[variable].numVersions * sizeof(*known->versions));
  return known;
}

StitchIndexEntry *stitchTreeFindVersion(StitchTree *tree, int64_t variable, int64_t version) {
  StitchKnownVersion *known = &stitchTreeKnown(tree, variable)->versions[version];
  if (known->entry)
    return known->entry > 0 ? &tree->index.entries[known->entry - 1] : NULL;
  size_t before = tree->key.length;
  stitchTreePushVersion(tree, variable, version, "");
  StitchIndexEntry *entry = stitchTreeFindKey(tree);
  stitchTreeTruncateKey(tree, before);
  known->entry = entry ? 1 + (entry - tree->index.entries) : -1;
  return entry;
}
