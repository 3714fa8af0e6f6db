import { describe, expect, it } from '@jest/globals';
import { parseSchedule, type Field, type FieldSchedule } from './index.ts';
import { scheduleOf } from './schedules.testing.ts';

/** Returns the fields of a schedule. Throws for `@every`. */
function fieldsOf(text: string): FieldSchedule {
  const schedule = scheduleOf(text);
  if (schedule.kind !== 'Fields') throw new Error(`${text} has no fields`);
  return schedule;
}

const values = ({ has }: Field): readonly number[] => has.flatMap((isIn, value) => (isIn ? [value] : []));
const from = (least: number, most: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, index) => least + index * step);

function whyNot(text: string): string {
  const parsed = parseSchedule(text);
  return parsed.kind === 'Faulty' ? parsed.why : 'accepted';
}

describe('a field', () => {
  it.each<{ name: string; minute: string; then: readonly number[]; isStar?: boolean }>([
    { name: 'a value', minute: '5', then: [5] },
    { name: 'both ends of the values', minute: '0,59', then: [0, 59] },
    { name: 'a star', minute: '*', then: from(0, 59), isStar: true },
    { name: 'a question mark, which equals a star', minute: '?', then: from(0, 59), isStar: true },
    { name: 'a range', minute: '10-12', then: [10, 11, 12] },
    { name: 'a range of one', minute: '7-7', then: [7] },
    { name: 'a range with a step', minute: '10-20/5', then: [10, 15, 20] },
    { name: 'a value with a step, up to the maximum', minute: '40/10', then: [40, 50] },
    { name: 'a star with a step, from the minimum', minute: '*/20', then: [0, 20, 40] },
    { name: 'a star with step 1, still a star', minute: '*/1', then: from(0, 59), isStar: true },
    { name: 'a star with another step, no star', minute: '*/2', then: from(0, 59, 2) },
    { name: 'a step larger than the range', minute: '5/1000', then: [5] },
    { name: 'a list', minute: '1,2,30-32,*/30', then: [0, 1, 2, 30, 31, 32] },
    { name: 'a list with a star, which marks the field', minute: '5,*', then: from(0, 59), isStar: true },
    { name: 'empty items, which are skipped', minute: ',5,,6,', then: [5, 6] },
    { name: 'commas only, which never match', minute: ',,', then: [] },
    { name: 'a star and what follows it after a hyphen, which is skipped', minute: '*-x', then: from(0, 59), isStar: true },
    { name: 'the same with more hyphens and a step', minute: '?-1-2/30', then: [0, 30] },
    { name: 'a leading plus', minute: '+5-+7/+2', then: [5, 7] },
    { name: 'leading zeros', minute: '005', then: [5] },
  ])('may be $name: $minute', ({ minute, then, isStar = false }) => {
    const field = fieldsOf(`${minute} * * * *`).minute;
    expect(values(field)).toEqual(then);
    expect(field.isStar).toBe(isStar);
  });

  it.each([
    ['hour', '* * * * *', from(0, 23)],
    ['hour', '0 9-17/4 * * *', [9, 13, 17]],
    ['dayOfMonth', '0 0 * * *', from(1, 31)],
    ['dayOfMonth', '0 0 */10 * *', [1, 11, 21, 31]],
    ['dayOfMonth', '0 0 29/1 * *', [29, 30, 31]],
    ['month', '0 0 * * *', from(1, 12)],
    ['month', '0 0 * jan,FEB,Mar-may,12 *', [1, 2, 3, 4, 5, 12]],
    ['month', '0 0 * oct/2 *', [10, 12]],
    ['dayOfWeek', '0 0 * * *', from(0, 6)],
    ['dayOfWeek', '0 0 * * sun,Mon,4-SAT', [0, 1, 4, 5, 6]],
    ['dayOfWeek', '0 0 * * mon/2', [1, 3, 5]],
  ] as const)('%s of %s', (name, text, then) => {
    expect(values(fieldsOf(text)[name])).toEqual(then);
  });

  it.each([
    ['60 * * * *', 'minute: "60" is above the maximum; allowed are 0 to 59'],
    ['0-60 * * * *', 'minute: "0-60" is above the maximum'],
    ['61/5 * * * *', 'minute: "61/5" is above the maximum'],
    ['* 24 * * *', 'hour: "24" is above the maximum; allowed are 0 to 23'],
    ['* * 0 * *', 'day of month: "0" is below the minimum; allowed are 1 to 31'],
    ['* * 32 * *', 'day of month: "32" is above the maximum'],
    ['* * * 0 *', 'month: "0" is below the minimum; allowed are 1 to 12 or jan to dec'],
    ['* * * 13 *', 'month: "13" is above the maximum'],
    ['* * * * 7', 'day of week: "7" is above the maximum; allowed are 0 to 6 or sun to sat'],
    ['5-1 * * * *', 'minute: "5-1" ends before it begins'],
    ['* * * * fri-mon', 'day of week: "fri-mon" ends before it begins'],
    ['* * * nov-feb *', 'month: "nov-feb" ends before it begins'],
    ['1-2-3 * * * *', 'minute: "1-2-3" has more than one "-"'],
    ['*/2/3 * * * *', 'minute: "*/2/3" has more than one "/"'],
    ['*/0 * * * *', 'minute: "*/0" has a step that is no whole number above 0'],
    ['*/-1 * * * *', 'minute: "*/-1" has a step'],
    ['*/ * * * *', 'minute: "*/" has a step'],
    ['*/mon * * * *', 'minute: "*/mon" has a step'],
    ['*/99999999999999999999 * * * *', 'minute: "*/99999999999999999999" has a step'],
    ['-1 * * * *', 'minute: "-1" is no whole number'],
    ['1- * * * *', 'minute: "1-" is no whole number'],
    ['/5 * * * *', 'minute: "/5" is no whole number'],
    ['x * * * *', 'minute: "x" is no whole number'],
    ['1.5 * * * *', 'minute: "1.5" is no whole number'],
    ['0x1 * * * *', 'minute: "0x1" is no whole number'],
    ['++1 * * * *', 'minute: "++1" is no whole number'],
    ['** * * * *', 'minute: "**" is no whole number'],
    ['99999999999999999999 * * * *', 'minute: "99999999999999999999" is no whole number'],
    ['jan * * * *', 'minute: "jan" is no whole number'],
    ['* * * mon *', 'month: "mon" is no whole number'],
    ['* * * january *', 'month: "january" is no whole number'],
    ['* * * * jan', 'day of week: "jan" is no whole number'],
    ['1,2,70 * * * *', 'minute: "70" is above the maximum'],
    ['0 0 L * *', 'day of month: "L" is no whole number'],
    ['0 0 15W * *', 'day of month: "15W" is no whole number'],
    ['0 0 * * 5#3', 'day of week: "5#3" is no whole number'],
  ])('is refused with its name, its value and the allowed ones: %s', (text, why) => {
    expect(whyNot(text)).toContain(why);
    expect(whyNot(text)).toContain('; allowed are ');
  });

  it('is refused together with the others that are faulty', () => {
    expect(whyNot('60 24 * foo *').match(/(minute|hour|day of month|month|day of week): "\w+"/g)).toEqual([
      'minute: "60"',
      'hour: "24"',
      'month: "foo"',
    ]);
  });
});

describe('a schedule', () => {
  it('has five fields with white space between, before and after them', () => {
    expect(scheduleOf(' \t0\u00a01\v* \r\n *\u3000 2 \n')).toEqual(scheduleOf('0 1 * * 2'));
    expect(scheduleOf('0\u00851 * * 2')).toEqual(scheduleOf('0 1 * * 2'));
    expect(whyNot('0\ufeff1 * * * 2')).toContain('minute:');
  });

  it.each(['', '   ', '* * * *', '* * * * * *', '0 0 1 1 * 2024', ' @daily'])('has exactly five: %j', (text) => {
    expect(whyNot(text)).toMatch(/^expected 5 fields \(minute, hour, day of month, month, day of week\), found \d;/);
  });

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * sun'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
  ])('may be %s', (descriptor, text) => {
    expect(scheduleOf(descriptor)).toEqual(scheduleOf(text));
  });

  it.each(['@Daily', '@DAILY', '@daily ', '@dailys', '@', '@reboot', '@every', '@every1h', '@Every 1h'])(
    'may not be another descriptor: %j',
    (text) => {
      expect(whyNot(text)).toContain(`unknown descriptor ${JSON.stringify(text)}; allowed are @yearly,`);
    },
  );

  it.each([
    ['1h30m', 5_400_000],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['1h1m1s1ms1us1µs1ns', 3_661_000],
    ['1999ms', 1000],
    ['2.999999999s', 2000],
    ['999ms', 1000],
    ['1ns', 1000],
    ['0', 1000],
    ['0s', 1000],
    ['-5m', 1000],
    ['+5m', 300_000],
  ])('may be @every %s: at least a second, without fractions', (text, period) => {
    expect(scheduleOf(`@every ${text}`)).toEqual({ kind: 'Every', period });
  });

  it.each(['x', '', ' 1h', '1h ', '1', '1d', '1h 30m', '1,5h', '.s'])('may not be @every %j', (text) => {
    expect(whyNot(`@every ${text}`)).toBe(`@every: ${JSON.stringify(text)} is no duration; allowed are those of Go such as 90s or 1h30m`);
  });

  it.each([
    ['0 0 31 2 *', false],
    ['0 0 30 feb *', false],
    ['0 0 31 4,6,9,11 *', false],
    ['0 0 31 4,5 *', true],
    ['0 0 29 2 *', true],
    ['0 0 31 2 5', true],
    ['0 0 31 2 *,5', false],
    [', * * * *', false],
    ['* , * * *', false],
    ['* * , * *', false],
    ['* * , * 1', true],
    ['* * 1 * ,', true],
    ['* * , * ,', false],
    ['* * * * ,', false],
    ['* * * , *', false],
    ['* * * , 1', false],
    ['* * 1 , 1', false],
  ])('%s is possible: %s', (text, isPossible) => {
    expect(fieldsOf(text).isPossible).toBe(isPossible);
  });
});

describe('a time zone before a schedule', () => {
  it.each([
    ['TZ=Asia/Shanghai 0 10 * * ?', 'Asia/Shanghai', '0 10 * * *'],
    ['CRON_TZ=Asia/Shanghai   0 10 * * ?', 'Asia/Shanghai', '0 10 * * *'],
    ['TZ=UTC @daily', 'UTC', '@daily'],
    ['TZ=UTC \t @every 1h \n', 'UTC', '@every 1h'],
    ['TZ= 0 10 * * *', '', '0 10 * * *'],
    ['TZ=Local 0 10 * * *', 'Local', '0 10 * * *'],
    ['TZ=Etc/GMT+8 0 10 * * *', 'Etc/GMT+8', '0 10 * * *'],
  ])('%j', (text, zone, rest) => {
    expect(parseSchedule(text)).toEqual({ kind: 'Schedule', schedule: scheduleOf(rest), zone });
  });

  it('is absent when none is named', () => {
    expect(parseSchedule('0 10 * * *')).not.toHaveProperty('zone');
  });

  it.each([
    ['TZ=UTC', 'needs a blank after the time zone and then a schedule'],
    ['CRON_TZ=UTC', 'needs a blank'],
    ['TZ=UTC\t0\t10\t*\t*\t*', 'needs a blank'],
    ['TZ=UTC\t0 10 * * *', 'unknown time zone "UTC\\t0"'],
    ['TZ=UTC ', 'found 0'],
    ['TZ=UTC @every  1h', 'no duration'],
    ['TZ=Nowhere/X 0 10 * * *', 'unknown time zone "Nowhere/X"; allowed are names of the tz database'],
    ['TZ=utc 0 10 * * *', 'unknown time zone "utc"'],
    ['TZ=+08:00 0 10 * * *', 'unknown time zone "+08:00"'],
    [' TZ=UTC 0 10 * * *', 'found 6'],
    ['tz=UTC 0 10 * * *', 'found 6'],
    ['TZ=UTC TZ=UTC 0 10 * * *', 'found 6'],
  ])('is refused: %j', (text, why) => {
    expect(whyNot(text)).toContain(why);
  });
});

describe('a long text', () => {
  const long = 200_000;

  it.each([
    ['blanks', ' '.repeat(long)],
    ['blanks before a faulty field', `${' '.repeat(long)}x * * * *`],
    ['blanks after a zone', `TZ=UTC ${' '.repeat(long)}x`],
    ['digits', `${'9'.repeat(long)} * * * *`],
    ['digits before a letter', `${'1'.repeat(long)}x * * * *`],
    ['slashes', `${'/'.repeat(long)} * * * *`],
    ['hyphens', `${'-'.repeat(long)} * * * *`],
    ['a zone', `TZ=${'A'.repeat(long)} * * * * *`],
    ['a duration', `@every ${'1'.repeat(long)}`],
    ['a descriptor', `@${'a'.repeat(long)}`],
  ])('of %s is refused immediately, with a short message', (_, text) => {
    expect(whyNot(text).length).toBeLessThan(300);
  });

  it.each([
    ['commas', `${','.repeat(long)} * * * *`],
    ['stars', `${'*,'.repeat(long / 2)} * * * *`],
    ['blanks', `* * * * *${' '.repeat(long)}`],
  ])('of %s is read immediately', (_, text) => {
    expect(whyNot(text)).toBe('accepted');
  });
});
