/** What the demo shows while it waits: a table that is drawn anew on a terminal, plain lines elsewhere. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { styleText } from 'node:util';
import type { CloneSet } from '@kruise/api';
import { containerStatusOf, isPodReady, type Pod } from '@kruise/objects';
import { lifecycleStateOf, shortHash } from '@kruise/pods';

const headers = ['POD', 'NODE', 'IP', 'IMAGE', 'REVISION', 'STATE', 'READY', 'RESTARTS'] as const;

const rowOf = (pod: Pod): readonly string[] => [
  pod.metadata.name,
  pod.spec.nodeName ?? '',
  pod.status?.podIP ?? '',
  pod.spec.containers[0]?.image ?? '',
  shortHash(pod.metadata.labels?.['controller-revision-hash'] ?? ''),
  pod.metadata.deletionTimestamp === undefined ? lifecycleStateOf(pod) : 'Terminating',
  isPodReady(pod) ? 'yes' : 'no',
  String(containerStatusOf(pod, 'nginx')?.restartCount ?? 0),
];

/** Columns three blanks apart, as kubectl prints them. */
export function formatTable(pods: readonly Pod[]): readonly string[] {
  const rows = [headers, ...pods.map(rowOf)];
  const widths = headers.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

export const formatCounters = ({ spec, status }: CloneSet): string =>
  `wanted ${spec.replicas ?? 1}, there ${status?.replicas ?? 0}, available ${status?.availableReplicas ?? 0}, updated ${status?.updatedReplicas ?? 0}`;

export interface View {
  show(cloneSet: CloneSet, pods: readonly Pod[]): void;
  /** Ends the present table; what follows is written below it. */
  finish(): void;
}

/** Draws over what it drew before. Colours follow NO_COLOR and FORCE_COLOR. */
function terminalView(out: NodeJS.WriteStream): View {
  let drawn = 0;
  return {
    show(cloneSet, pods) {
      const [head = '', ...rows] = formatTable(pods);
      const lines = [styleText('bold', formatCounters(cloneSet), { stream: out }), styleText('dim', head, { stream: out }), ...rows];
      moveCursor(out, 0, -drawn);
      clearScreenDown(out);
      out.write(`${lines.join('\n')}\n`);
      drawn = lines.length;
    },
    finish: () => (drawn = 0),
  };
}

/** One line whenever a counter changes. */
function lineView(write: (line: string) => void): View {
  let last = '';
  return {
    show(cloneSet) {
      const line = formatCounters(cloneSet);
      if (line !== last) write(`  ${line}`);
      last = line;
    },
    finish: () => undefined,
  };
}

export const createView = (out: NodeJS.WriteStream, write: (line: string) => void): View =>
  out.isTTY ? terminalView(out) : lineView(write);
