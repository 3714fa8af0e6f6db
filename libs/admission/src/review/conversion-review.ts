/**
 * Answers ConversionReviews, served at `/convert`. A review contains as many objects as a list, so it is processed in slices with turns for other
 * work in between, one object at a time: besides its body and its answer it needs little memory.
 * @see spec/manager.md 4.8; Kubernetes "Versions in CustomResourceDefinitions"
 */
import { admissionLimits, memberAt, parseLossless, stringifyLossless, type KubeObject } from '@kruise/objects';
import { maxNesting } from './nesting.ts';
import { ReviewSplitter, type Range, type SplitReview } from './split-review.ts';

/** The object in the requested version, or why there is none. One failure fails the whole review. */
type Conversion = { readonly kind: 'Converted'; readonly object: KubeObject } | { readonly kind: 'Failed'; readonly message: string };

/** Converts one object to `desiredApiVersion`; pure, never writes to its input. */
export type Convert = (object: KubeObject, desiredApiVersion: string) => Conversion;

/** The conversion of a review, and its schedule. */
export interface ConversionWork {
  readonly convert: Convert;
  /** Limit of one object, in bytes. Those of a review are counted, too. */
  readonly objectLimit: number;
  /** Resolves when it may continue for a moment. Rejects when the caller no longer waits for the answer. */
  readonly turn: () => Promise<void>;
}

export type ConversionAnswer =
  /** JSON, in pieces. */
  | { readonly kind: 'Answered'; readonly pieces: readonly Buffer[] }
  /** It is no ConversionReview; answered with HTTP 400. */
  | { readonly kind: 'Faulty' }
  /** Answered with HTTP 413. */
  | { readonly kind: 'TooLarge'; readonly why: string };

interface Envelope {
  readonly apiVersion: string;
  readonly uid: string;
  readonly desiredApiVersion: string;
}

/** More than any list of objects of one kind. */
const mostObjects = admissionLimits.conversionObjects.value;
const bytesPerSlice = 2 * 1024 * 1024;
/** Bytes of objects that are parsed, converted and printed in a turn. */
const bytesPerTurn = 64 * 1024;
/** What a small object counts as. */
const leastBytes = 4 * 1024;

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const review = parseLossless(text) as { apiVersion?: unknown; request?: Readonly<Record<string, unknown>> } | null;
    const { uid, desiredAPIVersion, objects } = review?.request ?? {};
    if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) return undefined;
    const apiVersion = typeof review?.apiVersion === 'string' ? review.apiVersion : 'apiextensions.k8s.io/v1';
    return { apiVersion, uid, desiredApiVersion: desiredAPIVersion };
  } catch {
    return undefined;
  }
}

async function split(body: Buffer, { objectLimit, turn }: ConversionWork): Promise<SplitReview> {
  const splitter = new ReviewSplitter(body, { objects: mostObjects, objectBytes: objectLimit, nesting: maxNesting });
  for (;;) {
    const found = splitter.advance(bytesPerSlice);
    if (found !== undefined) return found;
    await turn();
  }
}

type Converted =
  | { readonly kind: 'Converted'; readonly pieces: readonly Buffer[] }
  | { readonly kind: 'Failed'; readonly message: string }
  | { readonly kind: 'Faulty' };

function parseObject(body: Buffer, { start, end }: Range): KubeObject | undefined {
  try {
    return parseLossless(body.toString('utf8', start, end)) as KubeObject;
  } catch {
    return undefined;
  }
}

/** Returns which object of a list it is, for readers of the API server's error. */
function placeOf(object: KubeObject): string {
  const texts = (...paths: readonly string[][]): readonly string[] =>
    paths.map((path) => memberAt(object, ...path)).filter((value) => typeof value === 'string');
  return [...texts(['kind']), texts(['metadata', 'namespace'], ['metadata', 'name']).join('/')].join(' ');
}

/** Returns the texts of the objects, with commas between them. */
async function convertAll(
  body: Buffer,
  objects: readonly Range[],
  { desiredApiVersion }: Envelope,
  { convert, turn }: ConversionWork,
): Promise<Converted> {
  const pieces: Buffer[] = [];
  let texts: string[] = [];
  let pendingBytes = 0;
  for (const range of objects) {
    const object = parseObject(body, range);
    if (object === undefined) return { kind: 'Faulty' };
    const conversion = convert(object, desiredApiVersion);
    if (conversion.kind === 'Failed') return { kind: 'Failed', message: `${placeOf(object)}: ${conversion.message}` };
    texts.push(stringifyLossless(conversion.object));
    pendingBytes += leastBytes + range.end - range.start;
    if (pendingBytes < bytesPerTurn) continue;
    pieces.push(Buffer.from(`${pieces.length > 0 ? ',' : ''}${texts.join()}`));
    [texts, pendingBytes] = [[], 0];
    await turn();
  }
  if (texts.length > 0) pieces.push(Buffer.from(`${pieces.length > 0 ? ',' : ''}${texts.join()}`));
  return { kind: 'Converted', pieces };
}

const withResponse = (apiVersion: string, response: string): string =>
  `{"kind":"ConversionReview","apiVersion":${JSON.stringify(apiVersion)},"response":${response}}`;

/** Where the objects are in the text of an answer. */
const place = '"convertedObjects":[';

function answerWith({ apiVersion, uid }: Envelope, objects: readonly Buffer[]): readonly Buffer[] {
  const text = withResponse(apiVersion, `{"uid":${JSON.stringify(uid)},${place}],"result":{"status":"Success"}}`);
  const at = text.lastIndexOf(place) + place.length;
  return [Buffer.from(text.slice(0, at)), ...objects, Buffer.from(text.slice(at))];
}

/** Answers a review. @throws what `turn` rejects with. One object that cannot be converted fails the whole review, which is still answered. */
export async function answerConversionReview(body: Buffer, work: ConversionWork): Promise<ConversionAnswer> {
  const parts = await split(body, work);
  if (parts.kind !== 'Split') return parts;
  const envelope = parseEnvelope(parts.envelope);
  if (envelope === undefined) return { kind: 'Faulty' };
  const converted = await convertAll(body, parts.objects, envelope, work);
  if (converted.kind === 'Faulty') return converted;
  if (converted.kind === 'Converted') return { kind: 'Answered', pieces: answerWith(envelope, converted.pieces) };
  const { apiVersion, uid } = envelope;
  const failed = JSON.stringify({ uid, result: { status: 'Failure', message: converted.message } });
  return { kind: 'Answered', pieces: [Buffer.from(withResponse(apiVersion, failed))] };
}
