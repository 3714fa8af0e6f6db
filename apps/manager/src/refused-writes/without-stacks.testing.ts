/** Errors without stack traces: collecting them through many awaits takes a part of each run, and a violation is reported with the writes before it. */

/** Errors that are created until the work has ended have no stack trace. Only one such work may run at a time. */
export async function withoutStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
