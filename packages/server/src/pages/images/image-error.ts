/** Why an address gives no image, as a sentence for the owner of the page. */
export class ImageError extends Error {
  override name = 'ImageError'
}
