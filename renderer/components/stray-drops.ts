export const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes('Files') === true

/** Ignores files that are dropped where nothing takes them: the browser would leave the page and open the file. */
export function ignoreStrayDrops(): void {
  const ignore = (event: DragEvent) => {
    const isTaken = event.defaultPrevented || (event.target instanceof HTMLInputElement && event.target.type === 'file')
    if (hasFiles(event) && !isTaken) {
      event.preventDefault()
      event.dataTransfer!.dropEffect = 'none'
    }
  }
  addEventListener('dragover', ignore)
  addEventListener('drop', ignore)
}
