import { expect, it } from '@jest/globals';
import { lineView } from './view.ts';

it('without a terminal a summary is written when it changes, and the table once at the end', () => {
  const lines: string[] = [];
  const view = lineView((line) => lines.push(line));
  view.show({ summary: '1 of 2', table: ['POD', 'a'] });
  view.show({ summary: '1 of 2', table: ['POD', 'a'] });
  view.show({ summary: '2 of 2', table: ['POD', 'a', 'b'] });
  view.finish();
  expect(lines).toEqual(['  1 of 2', '  2 of 2', '    POD', '    a', '    b']);
});

it('each step begins with its summary, also when it is that of the step before', () => {
  const lines: string[] = [];
  const view = lineView((line) => lines.push(line));
  for (let step = 0; step < 2; step += 1) {
    view.show({ summary: 's', table: [] });
    view.finish();
  }
  expect(lines).toEqual(['  s', '  s']);
});
