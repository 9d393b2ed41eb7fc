/** Whether a chat is among those. @param chats ascending */
export function hasChat(chats: readonly number[], chat: number): boolean {
  let [low, high] = [0, chats.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (chats[middle] === chat) return true;
    if (chats[middle]! < chat) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
