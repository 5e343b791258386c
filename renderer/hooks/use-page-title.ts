import { useEffect } from 'react'
import { en as t } from '../strings/en.ts'

/** Names the page in the window and the history. */
export const usePageTitle = (page: string) =>
  useEffect(() => {
    document.title = t.title(page)
  }, [page])
