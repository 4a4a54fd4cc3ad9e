/** All of an input as text. Throws when it is larger than `maxBytes`. */
export async function readAllInput(input: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new Error(`more than ${maxBytes} bytes of input`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
