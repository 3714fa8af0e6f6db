/** `-o` and `--dry-run`: how a command says what it did to an object. */
import { isJsonObject, stringifyLossless, type ResourceType } from '@kruise/objects';
import type { FlagValues } from '../flag-values.ts';
import { UserError } from '../failure.ts';
import { withSortedMembers, yamlText } from '../objects/documents.ts';
import type { Untyped } from '../objects/untyped.ts';
import { slashName } from '../objects/workload-kind.ts';
import { jsonPathText, jsonPathValues } from './json-path.ts';

export type DryRun = 'none' | 'client' | 'server';

/** @throws UserError for another value; `warning` when the spelling is deprecated */
export function dryRunOf(flags: FlagValues): { readonly dryRun: DryRun; readonly warning?: string } {
  const text = flags.has('dry-run') ? flags.text('dry-run') : 'none';
  switch (text) {
    case 'none':
    case 'client':
    case 'server':
      return { dryRun: text };
    case 'unchanged':
      return { dryRun: 'client', warning: 'W: --dry-run is deprecated and can be replaced with --dry-run=client.' };
    case 'true':
      return { dryRun: 'client', warning: `W: --dry-run=${text} is deprecated (boolean value) and can be replaced with --dry-run=client.` };
    case 'false':
      return { dryRun: 'none', warning: `W: --dry-run=${text} is deprecated (boolean value) and can be replaced with --dry-run=none.` };
    default:
      throw new UserError(`Invalid dry-run value (${text}). Must be "none", "server", or "client".`);
  }
}

/** An object with the parts of a command's answer. */
export interface Printed {
  readonly type: ResourceType;
  readonly object: Untyped;
  /** e.g. `paused`. */
  readonly operation: string;
  readonly dryRun?: DryRun;
}

const suffixes: Readonly<Record<DryRun, string>> = { none: '', client: ' (dry run)', server: ' (server dry run)' };

/** Formats with a template of Go, which kubectl executes. */
const goFormats: readonly string[] = ['go-template', 'go-template-file', 'template', 'templatefile'];
const templated: readonly string[] = [...goFormats, 'jsonpath', 'jsonpath-as-json', 'jsonpath-file'];
const knownFormats = [...templated, 'json', 'name', 'yaml'].toSorted();

/** `-o jsonpath={.a}` or `-o jsonpath --template {.a}`. */
function formatOf(flags: FlagValues): { readonly format: string; readonly template: string } {
  const output = flags.has('output') ? flags.text('output') : '';
  const equals = output.indexOf('=');
  const named = equals < 0 ? output : output.slice(0, equals);
  const template = equals < 0 ? (flags.has('template') ? flags.text('template') : '') : output.slice(equals + 1);
  const format = named === '' && template !== '' ? 'go-template' : named;
  if (format !== '' && !knownFormats.includes(format))
    throw new UserError(
      `unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: ${knownFormats.join(',')}`,
    );
  if (templated.includes(format) && template === '') throw new UserError(`template format specified but no template given`);
  return { format, template };
}

/** The object without `managedFields`, unless they are requested. */
export function withoutManagedFields(object: Untyped, flags: FlagValues): Untyped {
  if (flags.has('show-managed-fields') && flags.bool('show-managed-fields')) return object;
  const { managedFields: _left, ...metadata } = object.metadata as Untyped['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}

/** Reads the file of `-o jsonpath-file`. */
export type ReadTemplate = (path: string) => string;

/**
 * The words with which kubectl prints an object of its stdin by a template of Go, without a request to a server; undefined for another format of `-o`.
 *
 * @throws UserError for a format that is not known
 */
export function goTemplateArguments(flags: FlagValues): readonly string[] | undefined {
  const { format, template } = formatOf(flags);
  if (!goFormats.includes(format)) return undefined;
  const lenient = !flags.has('allow-missing-template-keys') || flags.bool('allow-missing-template-keys');
  const unchanged = ['patch', '--local', '-f', '-', '--type=merge', '-p', '{}'];
  return [...unchanged, `--output=${format}`, `--template=${template}`, `--allow-missing-template-keys=${lenient}`];
}

/** An object in the format of `-o`, '' when there is none. @throws UserError for a format that is not known */
function formatted(object: Untyped, flags: FlagValues, readTemplate: ReadTemplate): string | undefined {
  const { format, template } = formatOf(flags);
  const shown = withoutManagedFields(object, flags);
  const lenient = !flags.has('allow-missing-template-keys') || flags.bool('allow-missing-template-keys');
  switch (format) {
    case 'json':
      return `${indented(withSortedMembers(shown))}\n`;
    case 'yaml':
      return yamlText(shown);
    case 'jsonpath':
      return jsonPathText(template, shown, lenient);
    case 'jsonpath-file':
      return jsonPathText(readTemplate(template), shown, lenient);
    case 'jsonpath-as-json':
      return `${indented(jsonPathValues(template, shown, lenient))}\n`;
    default:
      return undefined;
  }
}

const indent = '    ';

/** JSON with four spaces, integers beyond 2^53 with all digits. */
export function indented(value: unknown, before = ''): string {
  const inner = before + indent;
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map((item) => inner + indented(item, inner));
    return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${before}]`;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (members.length === 0) return '{}';
    return `{\n${members.map(([name, member]) => `${inner}${JSON.stringify(name)}: ${indented(member, inner)}`).join(',\n')}\n${before}}`;
  }
  return stringifyLossless(value);
}

/** What stdout says of an object that a command has changed. */
export function resultText({ type, object, operation, dryRun = 'none' }: Printed, flags: FlagValues, readTemplate: ReadTemplate): string {
  const whole = { ...object, apiVersion: object.apiVersion ?? '', kind: object.kind ?? type.kind };
  const text = formatted(whole, flags, readTemplate);
  if (text !== undefined) return text;
  const name = slashName(type, object.metadata.name);
  return formatOf(flags).format === 'name' ? `${name}\n` : `${name} ${operation}${suffixes[dryRun]}\n`;
}
