/** `lint`: what the API server, the webhooks and the controllers say about files, without a cluster. Exit codes: 0, 1 with errors, 2 when a file cannot be read. */
import { defaultGates } from '@kruise/api';
import type { FileNames } from '../../print/artifact-uri.ts';
import { lintJson, lintSarif } from '../../print/lint-data.ts';
import { buildInfo } from '../../build-info.ts';
import type { Call, Run } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';
import { unknownIds } from '../../lint/ignored.ts';
import { countOf, lintReport, type LintReport } from '../../lint/report.ts';
import { readSource, type Source } from '../../lint/source.ts';
import { lintText } from '../../print/lint-text.ts';
import { indented } from '../../print/print-object.ts';
import { gatesOf } from './gates-flag.ts';
import { hasFiles, readTexts } from '../../session/read-files.ts';
import type { Session } from '../../session.ts';

const [clean, found, unread] = [0, 1, 2];

const fileNames = (): FileNames => ({ windows: process.platform === 'win32', folder: process.cwd() });

const printers: Readonly<Record<string, (report: LintReport) => string>> = {
  text: lintText,
  json: (report) => `${indented(lintJson(report))}\n`,
  sarif: (report) => `${indented(lintSarif(report, buildInfo.gitVersion, fileNames()))}\n`,
};

function printerOf({ flags, args }: Call): (report: LintReport) => string {
  const format = flags.text('output');
  const printer = Object.hasOwn(printers, format) ? printers[format] : undefined;
  if (printer === undefined) throw new UserError(`--output must be text, json or sarif, not ${JSON.stringify(format)}`);
  if (args.length > 0) throw new UserError('name the files with -f: lint takes no arguments');
  if (!hasFiles(flags)) throw new UserError('must specify one of -f and -k');
  return printer;
}

/** What a user mistyped in comments and annotations does not keep anything from being linted. */
function warnOfIds({ objects }: Source, session: Session): void {
  const lines = objects.flatMap(({ place, extent }) => [
    ...extent.comments.flatMap(({ line, ids }) =>
      unknownIds(ids).map((id) => `Warning: ${place}:${line}: lint has no finding ${id} to ignore`),
    ),
    ...unknownIds(extent.annotated).map((id) => `Warning: ${place}:${extent.firstLine}: lint has no finding ${id} to ignore`),
  ]);
  for (const line of new Set(lines)) session.warn(line);
}

export const run: Run = async (call, session) => {
  const print = printerOf(call);
  const gates = gatesOf(call) ?? defaultGates;
  const sources = (await readTexts(call.flags, session)).map(readSource);
  for (const source of sources) warnOfIds(source, session);
  const faults = sources.flatMap((source) => source.faults);
  const objects = sources.flatMap((source) => source.objects);
  if (objects.length === 0 && faults.length === 0) throw new UserError('no objects passed: the files are empty');
  const report = lintReport(objects, { gates, ...(session.namespaceGiven ? { namespace: session.namespace() } : {}) });
  session.out(print(report));
  for (const { place, line, column, message } of faults) session.warn(`error: ${place}:${line}:${column}: ${message}`);
  if (faults.length > 0) return unread;
  const failing = countOf(report, 'error') + (call.flags.bool('strict') ? countOf(report, 'warning') : 0);
  return failing > 0 ? found : clean;
};
