/** A request as a command for a shell; the key is the reader's to fill in. @param body JSON */
export function curl(path: string, bot: string, body: string): string {
  return `curl ${window.location.origin}/v1/${path} -H "Api-Key: $KEY" -H 'Resource-Key: ${bot}' \\
  -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}
