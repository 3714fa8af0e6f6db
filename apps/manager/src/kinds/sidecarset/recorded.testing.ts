/** The recorded SidecarSet of `testdata/recorded`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SidecarSet } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import type { Snapshot } from './snapshot.ts';

export type Moment = '1-created' | '2-updating' | '3-updated';

interface Recording {
  readonly sidecarSet: SidecarSet;
  readonly pods: readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
}

export function recordedAt(moment: Moment): Snapshot {
  const path = join(import.meta.dirname, 'testdata', 'recorded', `${moment}.json`);
  const { sidecarSet, pods, revisions } = JSON.parse(readFileSync(path, 'utf8')) as Recording;
  return {
    sidecarSet,
    pods,
    namespaceLabels: new Map([['recorded', { 'kubernetes.io/metadata.name': 'recorded' }]]),
    revisions: revisions.toSorted((a, b) => a.revision - b.revision),
    revisionNamespace: 'kruise-system',
  };
}
