/** The content of a ControllerRevision: a pod template in its one canonical form, and back. */
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
 * The bytes of a template's revision: what is hashed and stored.
 *
 * @see spec/inplace-update.md 3.1, 3.2
 */
export const templateBytes = (template: PodTemplateSpec): string => canonicalJson(dataOf(template, 'Original'));

/**
 * What a revision is compared by: the same for equal templates, whichever version of Kubernetes its writer was built on and however it
 * writes quantities. Data that holds no template is taken as it is.
 */
export function revisionBytes(revision: ControllerRevision): string {
  const template = (revision.data as RevisionData | undefined)?.spec?.template;
  return template === undefined ? canonicalJson(revision.data ?? null) : canonicalJson(dataOf(template, 'Canonical'));
}

/**
 * What the original's revision of the same template is compared by: its types drop the members that they do not know. Data that holds no
 * template is taken as it is.
 *
 * @see spec/inplace-update.md 3.4
 */
export function knownRevisionBytes(revision: ControllerRevision): string {
  const template = (revision.data as RevisionData | undefined)?.spec?.template;
  if (template === undefined) return revisionBytes(revision);
  return canonicalJson(dataOf(knownMembers(template, 'PodTemplateSpec'), 'Canonical'));
}

/**
 * The pod template that a revision holds, normalised, without the patch directive.
 *
 * @returns undefined when the revision holds none
 */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const stored = (revision.data as RevisionData | undefined)?.spec?.template;
  if (stored === undefined) return undefined;
  const { $patch: _directive, ...template } = stored;
  return withInt64(normalizeStruct(template, 'PodTemplateSpec', 'Canonical')) as PodTemplateSpec;
}

/**
 * The workload as it was at a revision: its template replaced, nothing else of its spec is historic.
 *
 * @throws Error when the revision holds no template: callers choose among revisions of the workload, which all do
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
