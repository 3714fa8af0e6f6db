/** Whether the demo's own cluster gets real nodes, and what that means for a reader of its output. */

export type NodesChoice = { readonly kind: 'Real' } | { readonly kind: 'Simulated'; readonly because: string };

/**
 * @param isAskedFor whether the user wants simulated nodes
 * @param why reason why this machine cannot run real ones, as a sentence; undefined when it can
 */
export function chooseNodes(isAskedFor: boolean, why: string | undefined): NodesChoice {
  if (isAskedFor) return { kind: 'Simulated', because: 'You asked for simulated nodes with --simulated.' };
  return why === undefined ? { kind: 'Real' } : { kind: 'Simulated', because: why };
}

/** What is real on simulated nodes, what is simulated, and what is missing, as lines. */
export const explainSimulation = (because: string, nodes: number): readonly string[] => [
  because,
  'The demo therefore runs on simulated nodes:',
  '  real        etcd, kube-apiserver, kube-controller-manager and kube-scheduler;',
  "              Kruise's manager with its controllers and webhooks, as a process on this machine",
  `  simulated   ${nodes} nodes, their kubelets and all containers: the status of each Pod is written as a kubelet would write it`,
  "  missing     Kruise's node agent, because there are no containers for it to work on",
];
