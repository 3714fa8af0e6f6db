/** The clock of a run. A file of its own, so that only the clock is loaded with it: an import of a whole library keeps all of it in the bundle. */
import { SystemClock, type Clock } from '@kruise/kube';

export const systemClock = (): Clock => new SystemClock();
