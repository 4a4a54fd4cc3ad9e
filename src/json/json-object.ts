/** A JSON object whose values have not been looked at yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** True for a plain object as JSON gives it: not null, not a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value itself when it is an object, else an empty one. */
export const asJsonObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
