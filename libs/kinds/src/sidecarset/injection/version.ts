/** What of a SidecarSet goes into a Pod: its present state, or a former one out of a ControllerRevision. */
import { annotations, sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { hashesOf, sidecarSetHashes, type SidecarSetHashes } from '../revisions/hash.ts';
import { versionedSpecOf, type VersionedSpec } from '../revisions/revision-data.ts';

export interface Version {
  /** Of the SidecarSet. */
  readonly name: string;
  /** Name of the ControllerRevision; '' while the controller has not written it yet. */
  readonly revision: string;
  readonly hashes: SidecarSetHashes;
  readonly spec: VersionedSpec;
}

export const currentVersion = (sidecarSet: SidecarSet): Version => ({
  name: sidecarSet.metadata.name,
  revision: sidecarSet.status?.latestRevision ?? '',
  hashes: hashesOf(sidecarSet),
  spec: sidecarSet.spec,
});

/**
 * @param name of the SidecarSet
 * @returns undefined when the revision holds no version of a SidecarSet
 * @see spec/sidecarset.md 5.1 "Restoring"
 */
export function versionOfRevision(name: string, revision: ControllerRevision): Version | undefined {
  const spec = versionedSpecOf(revision);
  if (spec === undefined) return undefined;
  const computed = sidecarSetHashes(spec);
  const held = revision.metadata.annotations ?? {};
  const hash = held[annotations.sidecarSetHash] ?? computed.hash;
  const hashWithoutImage = held[sidecarSetAnnotations.hashWithoutImage] ?? computed.hashWithoutImage;
  return { name, revision: revision.metadata.name, hashes: { hash, hashWithoutImage }, spec };
}
