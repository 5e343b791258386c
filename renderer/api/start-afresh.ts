let isOver = false

/** Loads the page anew for another person, who must see nothing that this page holds. */
export function startAfresh(): void {
  isOver = true
  location.assign('/')
}

/** True once the page is loaded anew for another person: nobody may keep it open. */
export const isStartingAfresh = () => isOver
