import { useEffect } from 'react'
import * as t from '../texts.ts'

/** Sets the document title. */
export const usePageTitle = (page: string) =>
  useEffect(() => {
    document.title = t.title(page)
  }, [page])
