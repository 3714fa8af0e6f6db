/** Programs that integration tests start: `npm test` and `npm run nightly` fetch or build them first. */
export const integrationPrograms = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'helm',
  'prometheus',
  'promtool',
] as const;
