/** Draws the plan of a change as lines. */
import {
  countsText,
  pods,
  type Batch,
  type BatchEnd,
  type ChangePlan,
  type ClaimChange,
  type FieldChange,
  type WorkloadPlan,
} from '@kruise/insight/plan';
import { counted, stringifyLossless } from '@kruise/objects';
import { cutToWidth, plainText } from './display-width.ts';
import type { Drawing } from './draw-tree.ts';

/** Lines of one part of the plan; what is beyond is counted. */
const mostOfPart = 10;
/** Names in one line. */
const mostNames = 5;

interface Line {
  readonly text: string;
  readonly color?: 'yellow' | 'red';
}

const line = (text: string, color?: Line['color']): Line => ({ text, ...(color === undefined ? {} : { color }) });

/** Returns the lines of a part, and how many more there are. */
const limited = (lines: readonly Line[], what: string, most = mostOfPart): readonly Line[] =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), line(`  … ${lines.length - most + 1} more ${what}`)];

const namesText = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames - 1).join(', ')}, … ${names.length - mostNames + 1} more`;

const valueText = (value: unknown): string =>
  value === undefined ? 'absent' : typeof value === 'string' ? value : cutToWidth(stringifyLossless(value), 60);

const fieldText = ({ path, before, after }: FieldChange): string => `${path}: ${valueText(before)} -> ${valueText(after)}`;

/** Returns what ends a batch, or the rollout. */
function endText(end: BatchEnd): string {
  switch (end.kind) {
    case 'Done':
      return 'all Pods are up to date';
    case 'Paused':
      return 'the update is paused';
    case 'OnDelete':
      return 'the type of the update strategy is OnDelete: Pods are updated when they are deleted';
    case 'Ordered':
      return 'podManagementPolicy OrderedReady';
    case 'Cut':
      return `the plan ends after ${end.limit}`;
    case 'Budget':
      return `PodUnavailableBudget ${end.limit}`;
    case 'Blocked':
      return `blocked: ${end.limit}`;
    default:
      return end.limit;
  }
}

const shapeOf = ({ inPlace, recreated, deleted, created, endedBy }: Batch): string =>
  JSON.stringify([inPlace.length, recreated.length, deleted.length, created, endedBy]);

/** Batches in a row that do as much as each other. */
interface Run {
  readonly first: number;
  readonly batches: readonly Batch[];
}

function runsOf(batches: readonly Batch[]): readonly Run[] {
  const runs: { first: number; batches: Batch[] }[] = [];
  batches.forEach((batch, index) => {
    const last = runs.at(-1);
    const held = last?.batches[0];
    if (last !== undefined && held !== undefined && shapeOf(held) === shapeOf(batch)) last.batches.push(batch);
    else runs.push({ first: index + 1, batches: [batch] });
  });
  return runs;
}

function batchText({ first, batches }: Run, isLast: boolean): string {
  const one = batches[0];
  if (one === undefined) return '';
  const each = batches.length === 1 ? '' : ' each';
  const parts = (
    [
      ['inPlace', 'in place'],
      ['recreated', 'recreated'],
      ['deleted', 'deleted'],
    ] as const
  ).flatMap(([member, what]) => {
    const names = batches.flatMap((batch) => batch[member]);
    return names.length === 0 ? [] : [`${pods(one[member].length)}${each} ${what} (${namesText(names)})`];
  });
  const created = one.created === 0 ? [] : [`${pods(one.created)}${each} created`];
  const title = batches.length === 1 ? `Batch ${first}` : `Batches ${first}-${first + batches.length - 1}`;
  return `  ${title}: ${[...created, ...parts].join(', ')}${isLast ? '' : `, then ${endText(one.endedBy)}`}`;
}

function batchLines({ batches }: WorkloadPlan): readonly Line[] {
  const runs = runsOf(batches);
  return limited(
    runs.map((run, index) => line(batchText(run, index === runs.length - 1))),
    'lines of batches',
    20,
  );
}

function recreationLines({ recreations, wantsInPlace, counts }: WorkloadPlan): readonly Line[] {
  if (!wantsInPlace || (recreations.length === 0 && counts.recreated === 0)) return [];
  const lines = recreations.flatMap(({ fromRevision, why, fields }) =>
    fields.length === 0 ? [line(`  ${fromRevision}: ${why}`, 'yellow')] : fields.map((field) => line(`  ${fieldText(field)}`, 'yellow')),
  );
  const unique = [...new Map(lines.map((one) => [one.text, one])).values()];
  return [line('Not in place because of:', 'yellow'), ...limited(unique, 'fields')];
}

const sizeText = ({ from, to }: ClaimChange): string => (from !== undefined && to !== undefined && from !== to ? ` ${from} -> ${to}` : '');

function claimLines({ claims }: WorkloadPlan): readonly Line[] {
  const groups = Map.groupBy(claims, (claim) => `${claim.change.toLowerCase()}${sizeText(claim)}`);
  const lines = [...groups].map(([what, own]) =>
    line(
      `  ${own.length} ${what} (${namesText(own.map(({ claim }) => claim))})`,
      what.startsWith('deleted') || what.startsWith('recreated') ? 'red' : undefined,
    ),
  );
  return lines.length === 0 ? [] : [line('Claims:'), ...limited(lines, 'kinds of changes', 5)];
}

function imageLines({ images }: WorkloadPlan): readonly Line[] {
  const lines = images.map(({ image, nodes, isExact }) => line(`  ${image} on ${isExact ? '' : 'up to '}${counted(nodes, 'node')}`));
  return lines.length === 0 ? [] : [line('Images to pull:'), ...limited(lines, 'images', 5)];
}

const endLine = ({ endedBy, counts: { outdated } }: WorkloadPlan): Line => {
  const left = outdated === 0 ? '' : `, ${pods(outdated)} of other revisions`;
  return line(`Ends: ${endText(endedBy)}${left}`, endedBy.kind === 'Blocked' || endedBy.kind === 'Budget' ? 'red' : undefined);
};

function workloadLines(plan: WorkloadPlan, isChild: boolean): readonly Line[] {
  return [
    ...(isChild ? [line(`${plan.kind} ${plan.name}: ${countsText(plan.counts)}`)] : []),
    ...recreationLines(plan),
    ...batchLines(plan),
    endLine(plan),
    ...claimLines(plan),
    ...imageLines(plan),
    ...plan.assumptions.map((text) => line(`Note: ${text}`)),
  ];
}

const codes = { yellow: '33', red: '31' } as const;
const operations: Readonly<Record<ChangePlan['operation'], string>> = { Create: 'is created', Update: 'changes', None: 'does not change' };

/** Returns the lines of a plan. */
export function planLines(plan: ChangePlan, { columns, color }: Drawing): readonly string[] {
  const isChild = plan.workloads.length !== 1 || plan.workloads[0]?.name !== plan.name || plan.workloads[0].kind !== plan.kind;
  const fields = plan.operation === 'Update' ? plan.fields.map((field) => line(`  ${fieldText(field)}`)) : [];
  const lines = [
    line(`${plan.kind} ${plan.name} ${operations[plan.operation]}${plan.summary === '' ? '' : `: ${plan.summary}`}`),
    ...limited(fields, 'fields'),
    ...plan.workloads.flatMap((workload) => workloadLines(workload, isChild)),
  ];
  return lines.map(({ text, color: own }) => {
    const cut = cutToWidth(plainText(text), columns ?? Infinity);
    return color && own !== undefined ? `\u001B[${codes[own]}m${cut}\u001B[0m` : cut;
  });
}
