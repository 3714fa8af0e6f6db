import { describe, expect, it } from '@jest/globals';
import { ConfigReader } from './config-reader.ts';

const reader = ConfigReader.of(
  {
    text: 'x',
    empty: '',
    nothing: null,
    yes: true,
    no: false,
    number: 1,
    list: ['x', 'y'],
    mixed: ['x', 1],
    object: { text: 'inner', deeper: { number: 1 } },
    objects: [{ text: 'first' }, { number: 1 }],
    notObjects: [{}, null],
    lists: [['x']],
    good: 'aGVs\n bG8=',
    padded: 'aGU=',
    doublePadded: 'aA==',
    url: 'https://host:1/path',
    ftp: 'ftp://host',
    nonsense: 'no url',
  },
  '/f',
);

/** Returns the value of a lookup, or the message of its error. */
const outcomeOf = (look: () => unknown): unknown => {
  try {
    return look();
  } catch (error) {
    return String(error);
  }
};

describe('a member', () => {
  it.each<[string, () => unknown, unknown]>([
    ['that is there', () => reader.has('text'), true],
    ['that is empty', () => reader.has('empty'), true],
    ['that is null', () => reader.has('nothing'), false],
    ['that is absent', () => reader.has('absent'), false],
    ['that objects have by nature', () => reader.has('constructor'), false],
    ['as a text', () => reader.text('text'), 'x'],
    ['as an empty text', () => reader.text('empty'), undefined],
    ['as a text that is null', () => reader.text('nothing'), undefined],
    ['as a string that is a number', () => reader.text('number'), 'ConfigError: /f: number: must be a string'],
    ['as a flag', () => [reader.flag('yes'), reader.flag('no'), reader.flag('absent')], [true, false, undefined]],
    ['as a flag that is a string', () => reader.flag('text'), 'ConfigError: /f: text: must be true or false'],
    ['as one of several', () => [reader.oneOf('text', ['w', 'x']), reader.oneOf('absent', ['w'])], ['x', undefined]],
    ['as one of several others', () => reader.oneOf('text', ['v', 'w']), 'ConfigError: /f: text: must be one of v, w'],
    ['as texts', () => [reader.texts('list'), reader.texts('nothing'), reader.texts('absent')], [['x', 'y'], [], []]],
    ['as strings that is one string', () => reader.texts('text'), 'ConfigError: /f: text: must be a list of strings'],
    ['as strings with a number', () => reader.texts('mixed'), 'ConfigError: /f: mixed: must be a list of strings'],
    ['as an object', () => reader.object('object')?.text('text'), 'inner'],
    ['as an object that is absent', () => reader.object('absent'), undefined],
    ['as an object that is null', () => reader.object('nothing'), undefined],
    ['as an object that is a string', () => reader.object('text'), 'ConfigError: /f: text: must be an object'],
    ['as an object that is a list', () => reader.object('list'), 'ConfigError: /f: list: must be an object'],
    ['as objects', () => reader.objects('objects').map((one) => one.keys()), [['text'], ['number']]],
    ['as objects that are absent', () => [reader.objects('absent'), reader.objects('nothing')], [[], []]],
    ['as objects that is one object', () => reader.objects('object'), 'ConfigError: /f: object: must be a list'],
    ['as objects with null', () => reader.objects('notObjects'), 'ConfigError: /f: notObjects[1]: must be an object'],
    ['as objects with a list', () => reader.objects('lists'), 'ConfigError: /f: lists[0]: must be an object'],
    ['as a URL', () => [reader.url('url', ['http:', 'https:']), reader.url('absent', ['https:'])], ['https://host:1/path', undefined]],
    [
      'as a URL of another protocol',
      () => reader.url('ftp', ['http:', 'https:']),
      'ConfigError: /f: ftp: must be a URL that begins with http:// or https://',
    ],
    [
      'as a URL that is none',
      () => reader.url('nonsense', ['https:']),
      'ConfigError: /f: nonsense: must be a URL that begins with https://',
    ],
    ['as a required URL', () => reader.requiredUrl('url', ['https:']), 'https://host:1/path'],
    ['as a required URL that is absent', () => reader.requiredUrl('absent', ['https:']), 'ConfigError: /f: absent: is required'],
  ])('%s', (_name, look, outcome) => {
    expect(outcomeOf(look)).toEqual(outcome);
  });

  it.each<[string, string]>([
    ['object', 'object.deeper.number'],
    ['an entry of a list', 'objects[1].number'],
    ['an object that is not there', 'absent.deeper.number'],
  ])('of %s is named with its path', (_name, path) => {
    const readers = {
      'object.deeper.number': reader.object('object')?.object('deeper'),
      'objects[1].number': reader.objects('objects')[1],
      'absent.deeper.number': ConfigReader.empty(ConfigReader.empty(reader, 'absent'), 'deeper'),
    };
    const inner = readers[path as keyof typeof readers];
    expect(inner?.complaint('number', 'must be a string')).toMatchObject({ name: 'ConfigError', message: `/f: ${path}: must be a string` });
  });

  it('is absent in an object that does not exist', () => {
    expect([ConfigReader.empty(reader, 'absent').keys(), ConfigReader.empty(reader, 'absent').file]).toEqual([[], '/f']);
  });

  it.each<[string, unknown]>([
    ['aGVsbG8=', 'hello'],
    ['aGVs\n bG8=\n', 'hello'],
    ['aGk=', 'hi'],
    ['aA==', 'h'],
    ['+/+/', Buffer.from('+/+/', 'base64').toString('utf8')],
    ['', undefined],
    ['aGVsbG8', 'must be base64'],
    ['aGVsbG8h=', 'must be base64'],
    ['a===', 'must be base64'],
    ['aG=s', 'must be base64'],
    ['aGVs-_==', 'must be base64'],
    ['!!!!aGVs', 'must be base64'],
    ['aGVs!!!!', 'must be base64'],
  ])('in base64 that reads %j is %j', (text, outcome) => {
    const of = ConfigReader.of({ text }, '/f');
    const expected = outcome === 'must be base64' ? `ConfigError: /f: text: ${outcome}` : outcome;
    expect(outcomeOf(() => of.base64('text'))).toBe(expected);
  });
});

it.each([
  ['a list', []],
  ['a text', 'x'],
  ['nothing', null],
])('a file that holds %s is refused', (_name, content) => {
  expect(() => ConfigReader.of(content, '/f')).toThrow('/f: must contain an object');
});
