/** What other features' statements need of QR codes. */

/** SQL: no code has a file for its logo, by the SQL of the file's id. */
export function fileUnusedByQrCodes(fileId: string): string {
  return `NOT EXISTS (SELECT 1 FROM qr_codes WHERE qr_codes.logo_file_id = ${fileId})`;
}
