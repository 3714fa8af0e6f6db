/** Every bound of the project by area, in the order of `docs/limits.md`. */
import { admissionLimits } from './admission.ts';
import { agentLimits } from './agent.ts';
import { exporterLimits } from './exporter.ts';
import { imageLimits } from './images.ts';
import type { Limit, Limits } from './limit.ts';
import { referenceLimits } from './references.ts';
import { serverLimits } from './servers.ts';
import { workloadLimits } from './workloads.ts';

export { admissionLimits, agentLimits, exporterLimits, imageLimits, referenceLimits, serverLimits, workloadLimits };
export type { Limit, Limits };

/** The areas with their headings on the page. */
export const limitAreas: readonly { readonly title: string; readonly limits: Limits }[] = [
  { title: 'Workloads', limits: workloadLimits },
  { title: 'Admission and conversion', limits: admissionLimits },
  { title: 'References between objects', limits: referenceLimits },
  { title: 'Image pulling', limits: imageLimits },
  { title: 'Node agent', limits: agentLimits },
  { title: 'Probes, metrics and profiles', limits: serverLimits },
  { title: 'Metrics of objects', limits: exporterLimits },
];
