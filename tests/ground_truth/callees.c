// SPDX-License-Identifier: Apache-2.0
// What routines.c calls, for the linked image. They are never run.

volatile long sink;

void one(long x) { sink = x; }
void two(long x) { sink = x + 2; }
void three(long x) { sink = x + 3; }
long ask(long x) { return sink > x; }
void panic(const char *text, ...) {
  sink = *text;
  for (;;) {
  }
}
