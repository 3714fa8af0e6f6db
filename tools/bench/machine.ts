/** What the numbers were measured on. */
import { cpus, loadavg, totalmem } from 'node:os';
import { kubernetesVersion } from '@kruise/testing';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly kubernetes: string;
  /** One-minute load average at the start, before anything of the benchmark ran. */
  readonly loadAtStart: number;
}

export function describeMachine(): Machine {
  const models = cpus().map(({ model }) => model.trim());
  return {
    cores: models.length,
    cpu: models[0] ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    kubernetes: kubernetesVersion,
    loadAtStart: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

export const formatMachine = (machine: Machine): string =>
  `${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB, Node ${machine.node}, Kubernetes ${machine.kubernetes}, load at start ${machine.loadAtStart}`;
