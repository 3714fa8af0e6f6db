/** Tables of Pods as text. Pure. */
import { containerStatusOf, isPodReady, type Pod } from '@kruise/objects';
import { lifecycleStateOf, shortHash } from '@kruise/pods';

/** A column: its heading, and its cell for a Pod. */
export interface Column {
  readonly heading: string;
  readonly cellOf: (pod: Pod) => string;
}

const specOf = (pod: Pod, container: string) => pod.spec.containers.find(({ name }) => name === container);

export const podName: Column = { heading: 'POD', cellOf: (pod) => pod.metadata.name };
export const node: Column = { heading: 'NODE', cellOf: (pod) => pod.spec.nodeName ?? '' };
export const address: Column = { heading: 'IP', cellOf: (pod) => pod.status?.podIP ?? '' };
/** The first part, which is enough to recognise one. */
export const uid: Column = { heading: 'UID', cellOf: (pod) => (pod.metadata.uid ?? '').slice(0, 8) };
export const revision: Column = {
  heading: 'REVISION',
  cellOf: (pod) => shortHash(pod.metadata.labels?.['controller-revision-hash'] ?? ''),
};
export const state: Column = {
  heading: 'STATE',
  cellOf: (pod) => (pod.metadata.deletionTimestamp === undefined ? lifecycleStateOf(pod) : 'Terminating'),
};
export const ready: Column = { heading: 'READY', cellOf: (pod) => (isPodReady(pod) ? 'yes' : 'no') };

/** Image of a container and, in brackets, how often the container was restarted. */
export const imageOf = (container: string, heading: string): Column => ({
  heading: `${heading} (RESTARTS)`,
  cellOf: (pod) => {
    const image = specOf(pod, container)?.image;
    return image === undefined ? '-' : `${image} (${containerStatusOf(pod, container)?.restartCount ?? 0})`;
  },
});

/** @returns the headings and one line for each Pod, with columns three blanks apart as kubectl prints them */
export function formatTable(columns: readonly Column[], pods: readonly Pod[]): readonly string[] {
  const rows = [columns.map(({ heading }) => heading), ...pods.map((pod) => columns.map(({ cellOf }) => cellOf(pod)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
