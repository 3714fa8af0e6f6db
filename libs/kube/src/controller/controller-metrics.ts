/** As in the label `result` of `controller_runtime_reconcile_total`. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What one controller counts; the program binds it to `controller_runtime_*{controller}`. Must not throw. */
export interface ControllerMetrics {
  /** One reconcile ended. `error` includes those given up. */
  reconciled(result: ReconcileResult, seconds: number): void;
  /** It was given up: the error waits for a change. */
  gaveUp(): void;
  /** It threw what no caller can expect, see {@link isPanic}. */
  panicked(): void;
  /** It asked to run again at once, again and again, while nothing changed, and has to wait. */
  heldBack(): void;
  /** Reconciles that run now. */
  activeWorkers(count: number): void;
  maxConcurrent(count: number): void;
}

/** A defect of the program rather than a failure of its surroundings: a throw of something that is no Error, or of one that only the language makes. */
export const isPanic = (thrown: unknown): boolean =>
  !(thrown instanceof Error) ||
  thrown instanceof TypeError ||
  thrown instanceof RangeError ||
  thrown instanceof ReferenceError ||
  thrown instanceof SyntaxError;
