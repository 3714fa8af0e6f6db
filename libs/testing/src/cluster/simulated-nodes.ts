/** Command line of the simulated kubelet as a process of its own. Pure except for the path of this checkout. */
import { resolve } from 'node:path';
import { type ComponentSpec } from './component-set.ts';

/** How simulated nodes are named and how long their containers take; times are in milliseconds. */
export interface SimulationOptions {
  /** Node names are `<prefix>-0`, `<prefix>-1`, …; default `simulated`. */
  readonly prefix?: string;
  /** Time from seeing a Pod to its running containers; also the length of a container's restart. */
  readonly startDelayMs?: number;
  /** Time from seeing a deletion to the end of the containers; never more than the Pod's grace period. */
  readonly stopDelayMs?: number;
  /** Adds the taint `simulated.kruise.io/node:NoSchedule`, for clusters that also have real nodes. */
  readonly taint?: boolean;
}

export function simulatedKubelet(kubeconfigPath: string, nodes: number, options: SimulationOptions): ComponentSpec {
  const { prefix = 'simulated', startDelayMs, stopDelayMs, taint = false } = options;
  const args = [
    resolve(import.meta.dirname, '../simulated-kubelet/main.ts'),
    `--kubeconfig=${kubeconfigPath}`,
    `--nodes=${nodes}`,
    `--prefix=${prefix}`,
    ...(startDelayMs === undefined ? [] : [`--start-delay-ms=${startDelayMs}`]),
    ...(stopDelayMs === undefined ? [] : [`--stop-delay-ms=${stopDelayMs}`]),
    ...(taint ? ['--taint'] : []),
  ];
  return { name: `simulated-kubelet-${prefix}`, command: process.execPath, args };
}
