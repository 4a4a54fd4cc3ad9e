import type { ReceiptFault } from '../contract/receipt.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { stripText } from './strip-text.ts';

/** Thrown by the readers below and caught where a whole document is read; never leaves this room. */
export class FieldFault extends Error {
  readonly reason: ReceiptFault;
  readonly field: string;
  constructor(reason: ReceiptFault, field: string) {
    super(`${field}: ${reason}`);
    this.reason = reason;
    this.field = field;
  }
}

const refuse = (reason: ReceiptFault, field: string): never => {
  throw new FieldFault(reason, field);
};

const MAX_CHARACTERS = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the rule forbids.
const CONTROL = /[\u0000-\u001f]/;
const HEX64 = /^[0-9a-f]{64}$/;

/** The object under `field`; an absent one is `missing`. */
export function objectAt(value: unknown, field: string): JsonObject {
  if (value === undefined) return refuse('missing', field);
  return isJsonObject(value) ? value : refuse('wrong_type', field);
}

/** An object that holds exactly the named keys, null values included. */
export function exactObject(value: unknown, keys: readonly string[], field: string): JsonObject {
  const object = objectAt(value, field);
  const unknown = Object.keys(object).find((key) => !keys.includes(key));
  if (unknown !== undefined) refuse('unknown_key', `${field}.${unknown}`);
  const absent = keys.find((key) => object[key] === undefined);
  if (absent !== undefined) refuse('missing', `${field}.${absent}`);
  return object;
}

/** Text of 1 to `max` characters (code points) after stripping, without control characters. */
export function textAt(value: unknown, field: string, max = MAX_CHARACTERS): string {
  if (value === undefined) return refuse('missing', field);
  if (typeof value !== 'string') return refuse('wrong_type', field);
  const text = stripText(value);
  if (text === '' || [...text].length > max) return refuse('out_of_range', field);
  return CONTROL.test(text) ? refuse('not_allowed', field) : text;
}

/** Text or null; blank text and an absent key read as null. */
export function optionalTextAt(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && stripText(value) === '' ? null : textAt(value, field);
}

/** 64 lower-case hexadecimal digits, stripped first. */
export function hex64At(value: unknown, field: string): string {
  const text = textAt(value, field);
  return HEX64.test(text) ? text : refuse('not_allowed', field);
}

export function integerAt(value: unknown, field: string, min = 0): number {
  const number = numberAt(value, field, min);
  return Number.isInteger(number) ? number : refuse('wrong_type', field);
}

export function numberAt(value: unknown, field: string, min: number, max = Number.MAX_VALUE): number {
  if (value === undefined) return refuse('missing', field);
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse('wrong_type', field);
  return value < min || value > max ? refuse('out_of_range', field) : value;
}

/** One of the allowed values, compared as it stands. */
export function oneOf<T>(value: unknown, allowed: readonly T[], field: string): T {
  if (value === undefined) return refuse('missing', field);
  return allowed.includes(value as T) ? (value as T) : refuse('not_allowed', field);
}
