/** The values of the label `result` of `controller_runtime_reconcile_total`. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** The metrics of one controller; the program binds them to `controller_runtime_*{controller}`. They must not throw. */
export interface ControllerMetrics {
  /** Reports that one reconcile ended. `error` includes those given up. */
  reconciled(result: ReconcileResult, seconds: number): void;
  /** Reports that it was given up: the error waits for a change. */
  gaveUp(): void;
  /** Reports that it threw an unexpected error, see {@link isPanic}. */
  panicked(): void;
  /** Reports that it has to wait because it asked to be requeued immediately repeatedly while nothing changed. */
  heldBack(): void;
  /** Reports the number of running reconciles. */
  activeWorkers(count: number): void;
  maxConcurrent(count: number): void;
}

/**
 * Returns whether an error is a defect of the program rather than a failure of its surroundings: a value that is no Error, or an error that only the
 * language throws.
 */
export const isPanic = (thrown: unknown): boolean =>
  !(thrown instanceof Error) ||
  thrown instanceof TypeError ||
  thrown instanceof RangeError ||
  thrown instanceof ReferenceError ||
  thrown instanceof SyntaxError;
