/** The content of a ControllerRevision: converts a pod template to its one canonical form, and back. */
import { type ControllerRevision, type PodTemplateSpec, canonicalJson } from '@kruise/objects';
import { withDoubles, withInt64 } from './long-integers.ts';
import { knownMembers, normalizeStruct, type QuantityForm } from './normalize.ts';

interface RevisionData {
  readonly spec?: { readonly template?: Readonly<Record<string, unknown>> };
}

/** `$patch: replace` makes the data a strategic merge patch that replaces the whole template of the workload. */
const dataOf = (template: unknown, form: QuantityForm): RevisionData => ({
  spec: {
    template: {
      ...(withDoubles(normalizeStruct(template, 'PodTemplateSpec', form)) as Readonly<Record<string, unknown>>),
      $patch: 'replace',
    },
  },
});

/**
 * Returns the bytes of a template's revision, which are hashed and stored.
 *
 * @see spec/inplace-update.md 3.1, 3.2
 */
export const templateBytes = (template: PodTemplateSpec): string => canonicalJson(dataOf(template, 'Original'));

/**
 * Returns what a revision is compared by: the same for equal templates, independently of the Kubernetes version of its writer and of the form of its
 * quantities. Data without a template is used unchanged.
 */
export function revisionBytes(revision: ControllerRevision): string {
  const template = (revision.data as RevisionData | undefined)?.spec?.template;
  return template === undefined ? canonicalJson(revision.data ?? null) : canonicalJson(dataOf(template, 'Canonical'));
}

/**
 * Returns what the original's revision of the same template is compared by: its types drop unknown members. Data without a template is used
 * unchanged.
 *
 * @see spec/inplace-update.md 3.4
 */
export function knownRevisionBytes(revision: ControllerRevision): string {
  const template = (revision.data as RevisionData | undefined)?.spec?.template;
  if (template === undefined) return revisionBytes(revision);
  return canonicalJson(dataOf(knownMembers(template, 'PodTemplateSpec'), 'Canonical'));
}

/**
 * Returns the pod template of a revision, normalised, without the patch directive.
 *
 * @returns undefined when the revision contains none
 */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const stored = (revision.data as RevisionData | undefined)?.spec?.template;
  if (stored === undefined) return undefined;
  const { $patch: _directive, ...template } = stored;
  return withInt64(normalizeStruct(template, 'PodTemplateSpec', 'Canonical')) as PodTemplateSpec;
}

/**
 * Returns the workload at a revision: with its template replaced. The rest of its spec is not historic.
 *
 * @throws Error when the revision contains no template: callers choose among revisions of the workload, which all contain one
 * @see spec/inplace-update.md 3.4
 */
export function applyRevision<T extends { readonly spec: { readonly template: PodTemplateSpec } }>(
  workload: T,
  revision: ControllerRevision,
): T {
  const template = templateOf(revision);
  if (template === undefined) throw new Error(`ControllerRevision ${revision.metadata.name} holds no pod template`);
  return { ...workload, spec: { ...workload.spec, template } };
}
