// SPDX-License-Identifier: Apache-2.0
// Small functions whose control flow the compiler itself describes (tests/ground_truth/run.py). They are never run.

extern void one(long), two(long), three(long);
extern long ask(long);
extern void panic(const char *, ...) __attribute__((noreturn));

// Early returns.
long early(long a, long b) {
  if (a < 0) return -1;
  if (b > 100) {
    one(b);
    return 7;
  }
  if (ask(a)) return a;
  two(a);
  return b;
}

// Conditions inside conditions, with calls so that nothing becomes a select.
long nested(long a, long b, long c) {
  if (a) {
    if (b) {
      one(c);
      if (c > b) two(a);
    } else {
      three(a);
    }
  } else if (c) {
    if (ask(c) > 3) one(b);
  }
  return ask(a);
}

// A counted loop, a loop with two exits, a loop in a loop.
long loops(long n) {
  for (long i = 0; i < n; i++) one(i);
  for (;;) {
    long x = ask(n);
    if (x == 4) break;
    if (x == 5) return x;
    two(x);
  }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++)
      if (ask(j)) three(i);
  return n;
}

// No calls at all.
long leaf(const long *p, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    if (p[i] < 0) return -1;
    if (p[i] & 1) sum += p[i];
  }
  return sum;
}

// A switch that becomes a jump table, with fall-through, holes and a default.
long dense_switch(long a, long b) {
  switch (a) {
    case 0: one(b); break;
    case 1: two(b);  // falls through
    case 2: three(b); break;
    case 3: return 9;
    case 5: one(1); two(2); break;
    case 6: b = ask(b); break;
    case 7: three(3); break;
    case 8: two(8); break;
    default: return 1;
  }
  return b;
}

// A switch that becomes comparisons.
long sparse_switch(long a) {
  switch (a) {
    case 1: return ask(10);
    case 1000: one(1); return 2;
    case 100000: two(2); return 3;
  }
  return 0;
}

// A call that does not come back, to a function that is known for it.
long no_return(long a) {
  if (a > 3) panic("too much");
  one(a);
  return a;
}

// A tail call, a conditional one and one through a pointer.
long tail(long a) {
  if (a) return ask(a + 1);
  one(a);
  return ask(2);
}
long tail_pointer(long (*f)(long), long a) {
  if (!f) return 0;
  return f(a);
}

// Calls through pointers do not end a block.
long indirect_calls(long (**f)(long), long n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    if (f[i]) sum += f[i](i);
  return sum;
}

// A jump whose targets are in a table of labels: resolved or reported, never invented.
long computed_goto(const unsigned char *p, long acc) {
  static const void *const labels[] = {&&add, &&sub, &&done};
  goto *labels[*p++];
add:
  one(acc++);
  goto *labels[*p++];
sub:
  two(acc--);
  goto *labels[*p++];
done:
  return acc;
}

// Never ends.
void forever(long a) {
  for (;;) {
    one(a);
    if (a & 1) two(a);
    a = ask(a);
  }
}

// Short-circuit conditions.
long short_circuit(long a, long b, long c) {
  if ((a > 3 && b < 9) || (c == 4 && ask(a))) one(c);
  return a || (ask(b) && ask(c));
}
