/** What lint finds about one object. */
import { formatFieldError, type FieldError } from '@kruise/objects';
import { lintRules, type LintId } from './catalog.ts';

/** One finding. */
export interface Finding {
  readonly id: LintId;
  /** Such as `spec.template.spec.containers[0].image`, in the version of the document; '' for the object itself. */
  readonly path: string;
  /** Begins with the path, unless it is about the object itself. */
  readonly message: string;
  readonly next: string;
}

/** Returns a finding with a message after its path. @param next that of the rule when absent */
export const finding = (id: LintId, path: string, why: string, next: string = lintRules[id].next): Finding => ({
  id,
  path,
  message: path === '' ? why : `${path}: ${why}`,
  next,
});

/** Returns a fault as the API server prints it. */
export const findingOfFault = (id: LintId, fault: FieldError): Finding => ({
  id,
  path: fault.field,
  message: fault.field === '' ? formatFieldError(fault).replace(/^: /, '') : formatFieldError(fault),
  next: lintRules[id].next,
});

/** The path with which messages of webhooks begin; '' if it begins with none. */
export const leadingPath = (message: string): string => /^(?:metadata|spec)(?:\.\w+|\[[^\]]*\])*/.exec(message)?.[0] ?? '';
