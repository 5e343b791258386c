/** Picture in another format. */
export async function convertedPicture(
  picture: Blob,
  type: 'image/png' | 'image/jpeg',
  quality?: number,
): Promise<Blob> {
  const bitmap = await createImageBitmap(picture)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return await canvas.convertToBlob({ type, ...(quality !== undefined && { quality }) })
}
