/** Numbers of Pods in words. */
import { counted } from '@kruise/objects';
import type { WorkloadPlan } from './change-plan.ts';

/** Returns a number with its unit. */
export const pods = (count: number): string => counted(count, 'Pod');

/** Returns what happens to Pods in one sentence. */
export function countsText({ inPlace, recreated, created, deleted, untouched }: WorkloadPlan['counts']): string {
  const parts = [
    [inPlace, 'updated in place'],
    [recreated, 'recreated'],
    [created, 'created'],
    [deleted, 'deleted'],
    [untouched, 'untouched'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, what], index) => (index === 0 ? `${pods(count)} ${what}` : `${count} ${what}`));
  return said.length === 0 ? 'no Pods' : said.join(', ');
}
