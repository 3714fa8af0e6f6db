/** How much the annotations of an object may contain. */

/** In bytes: keys and values of all annotations together, as the API server counts them. */
export const largestAnnotations = 256 * 1024;

/** In bytes: for the mark of a move, and for annotations that controllers add. */
const reserveBytes = 1024;

/** In bytes: how large a move makes the annotations of an object. */
export const mostAnnotationBytes = largestAnnotations - reserveBytes;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/** Returns the size of all keys and values in bytes. */
export const annotationBytes = (annotations: Readonly<Record<string, string>>): number =>
  Object.entries(annotations).reduce((sum, [name, value]) => sum + bytesOf(name) + bytesOf(value), 0);
