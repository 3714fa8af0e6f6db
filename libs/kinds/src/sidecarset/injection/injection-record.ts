/** What the Pod's annotations record about the injection. @see spec/sidecarset.md 3, 5.4 step 5 */
import { annotations, sidecarSetAnnotations } from '@kruise/api';
import { deepEqual, formatTime, type Instant } from '@kruise/objects';
import { injectedHotAnnotations } from '../view/hot-upgrade.ts';
import {
  formatInjectedList,
  formatInjectionRecords,
  injectedListOf,
  parseInjectionRecords,
  type InjectionRecord,
} from '../view/pod-record.ts';
import type { PreparedVersion } from './prepared-version.ts';

type Annotations = Readonly<Record<string, string>>;

export type Recorded =
  { readonly kind: 'Recorded'; readonly annotations: Annotations } | { readonly kind: 'Refused'; readonly why: string };

/** A record that says the same but for the time stays, so that a Pod that comes twice is not changed the second time. */
const keptOr = (held: InjectionRecord | undefined, record: InjectionRecord): InjectionRecord =>
  held !== undefined && deepEqual({ ...held, updateTimestamp: record.updateTimestamp }, record) ? held : record;

function merged(text: string | undefined, records: readonly InjectionRecord[]): string | undefined {
  const held = parseInjectionRecords(text);
  if (held.kind === 'Malformed') return undefined;
  const all = new Map(held.value);
  for (const record of records) all.set(record.sidecarSetName, keptOr(all.get(record.sidecarSetName), record));
  return formatInjectionRecords(all);
}

const recordOf = ({ name, sidecarList, revision, hashes }: PreparedVersion, now: Instant): InjectionRecord => ({
  updateTimestamp: formatTime(now),
  hash: hashes.hash,
  sidecarSetName: name,
  sidecarList,
  ...(revision === '' ? {} : { controllerRevision: revision }),
});

const imagelessRecordOf = ({ name, sidecarList, hashes }: PreparedVersion, now: Instant): InjectionRecord => ({
  updateTimestamp: formatTime(now),
  hash: hashes.hashWithoutImage,
  sidecarSetName: name,
  sidecarList,
});

/** @param held annotations of the Pod so far  @returns all of them, with those of the injection */
export function recordInjection(held: Annotations, versions: readonly PreparedVersion[], now: Instant): Recorded {
  const [withImages, imageless] = [annotations.sidecarSetHash, sidecarSetAnnotations.hashWithoutImage];
  const hash = merged(
    held[withImages],
    versions.map((version) => recordOf(version, now)),
  );
  const hashWithoutImage = merged(
    held[imageless],
    versions.map((version) => imagelessRecordOf(version, now)),
  );
  if (hash === undefined || hashWithoutImage === undefined)
    return { kind: 'Refused', why: `annotation ${hash === undefined ? withImages : imageless} of the Pod is not a JSON object` };
  const names = [...(injectedListOf(held) ?? []), ...versions.map(({ name }) => name)];
  return {
    kind: 'Recorded',
    annotations: {
      ...held,
      [withImages]: hash,
      [imageless]: hashWithoutImage,
      [sidecarSetAnnotations.injectedList]: formatInjectedList(names),
      ...injectedHotAnnotations(
        held,
        versions.flatMap(({ hotSidecars }) => hotSidecars),
      ),
    },
  };
}
