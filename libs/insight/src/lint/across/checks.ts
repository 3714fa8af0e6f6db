/** Checks of one object together with the others of the files: what is legal and never works. */
import { autoscalerChecks } from './autoscalers.ts';
import { podUnavailableBudgetChecks } from './budgets.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';
import { jobChecks } from './jobs.ts';
import { probeChecks } from './probes.ts';
import { rolloutChecks } from './rollouts.ts';
import { selectorChecks } from './selectors.ts';
import { targetChecks } from './targets.ts';

const tables: readonly ChecksByKind[] = [
  autoscalerChecks,
  podUnavailableBudgetChecks,
  rolloutChecks,
  selectorChecks,
  targetChecks,
  probeChecks,
  jobChecks,
];

/** Returns what the checks of the kind find, in a fixed order. */
export const acrossFiles: AcrossCheck = (linted, files) =>
  tables.flatMap((table) => (table[`${linted.group}/${linted.kind}`] ?? []).flatMap((check) => check(linted, files)));
