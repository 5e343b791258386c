import { useEffect } from 'react'
import { en as t } from '../strings/en.ts'

/** Sets the document title. */
export const usePageTitle = (page: string) =>
  useEffect(() => {
    document.title = t.title(page)
  }, [page])
