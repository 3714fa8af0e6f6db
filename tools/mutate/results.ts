/** Counts mutants of a report and distinguishes known survivors, with their reason, from new ones. Pure. */

/** The part of Stryker's report (mutation-testing-report-schema) that counts. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>>;
}
export interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'Ignored' | 'RuntimeError' | 'CompileError' | 'Pending';
  readonly location: { readonly start: Position; readonly end: Position };
}
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Survivor {
  readonly file: string;
  /** From 1; not part of what makes a known survivor the same one. */
  readonly line: number;
  /** The line on which it begins, without the spaces around it. */
  readonly code: string;
  /** `before -> after`, both on one line. */
  readonly mutant: string;
  /** Whether any test comes by. */
  readonly covered: boolean;
}

/** A survivor that was looked at, with the reason why no test kills it. */
export interface KnownSurvivor {
  readonly code: string;
  readonly mutant: string;
  readonly why: string;
}

export interface Score {
  readonly mutants: number;
  readonly killed: number;
  readonly known: readonly (Survivor & { readonly why: string })[];
  readonly unknown: readonly Survivor[];
  /** Entries of the list that fit no survivor any more. */
  readonly stale: readonly KnownSurvivor[];
}

const oneLine = (text: string): string => {
  const short = text.replaceAll(/\s+/g, ' ').trim();
  return short.length <= 160 ? short : `${short.slice(0, 157)}...`;
};

function textAt(lines: readonly string[], { start, end }: ReportedMutant['location']): string {
  const taken = lines.slice(start.line - 1, end.line);
  if (taken.length === 0) return '';
  taken[taken.length - 1] = taken.at(-1)?.slice(0, end.column - 1) ?? '';
  taken[0] = taken[0]?.slice(start.column - 1) ?? '';
  return taken.join('\n');
}

/** Mutants that nothing killed, in the order of files and lines. */
export function survivors(report: MutationReport): readonly Survivor[] {
  return Object.entries(report.files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([file, { source, mutants }]) => {
      const lines = source.split('\n');
      return mutants
        .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
        .toSorted((a, b) => a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column)
        .map((mutant) => ({
          file,
          line: mutant.location.start.line,
          code: oneLine(lines[mutant.location.start.line - 1] ?? ''),
          mutant: `${oneLine(textAt(lines, mutant.location))} -> ${oneLine(mutant.replacement ?? '')}`,
          covered: mutant.status === 'Survived',
        }));
    });
}

/** @param known by file; an entry counts for each survivor of its file with the same code and mutant */
export function scoreOf(report: MutationReport, known: Readonly<Record<string, readonly KnownSurvivor[]>>): Score {
  const counted = Object.values(report.files).flatMap(({ mutants }) => mutants);
  const killed = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const left = survivors(report);
  const entryOf = ({ file, code, mutant }: Survivor): KnownSurvivor | undefined =>
    known[file]?.find((one) => one.code === code && one.mutant === mutant);
  const entries = left.map((survivor) => ({ survivor, entry: entryOf(survivor) }));
  const used = new Set(entries.map(({ entry }) => entry));
  return {
    mutants: killed + left.length,
    killed,
    known: entries.flatMap(({ survivor, entry }) => (entry === undefined ? [] : [{ ...survivor, why: entry.why }])),
    unknown: entries.flatMap(({ survivor, entry }) => (entry === undefined ? [survivor] : [])),
    stale: Object.keys(report.files).flatMap((file) => (known[file] ?? []).filter((entry) => !used.has(entry))),
  };
}

/** 90 % of the mutants of each scope must be killed. */
export const wantedPercent = 90;

/** In percent, rounded down to a tenth; 100 when there is none. */
export const percentOf = ({ killed, mutants }: Pick<Score, 'killed' | 'mutants'>): number =>
  mutants === 0 ? 100 : Math.floor((1000 * killed) / mutants) / 10;
