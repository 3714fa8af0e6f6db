/** The programs of the project, for tests that start them as processes. */
import { join } from 'node:path';

const apps = join(import.meta.dirname, '../../../../apps');

/** Folder of what a run of the integration tests makes once (`tools/tasks/jest/jest-integration.ts`); undefined in other runs. */
export const sharedFolder = process.env['KRUISE_TEST_PROGRAMS'];

/**
 * Returns the file with which a program starts.
 *
 * @returns the bundle if a run of the integration tests has built it, otherwise the source. Both behave the same; the source needs ten times the CPU time to start.
 */
export const programFile = (app: 'daemon' | 'helm-hook' | 'kubectl-kruise' | 'manager' | 'state-metrics'): string =>
  sharedFolder === undefined ? join(apps, app, 'src/main.ts') : join(sharedFolder, app, 'main.mjs');
