"""A shop that rewards who brings buyers: BOT_TOKEN, BOTLEDGER_URL and BOTLEDGER_KEY name the bot and its Botledger."""

import asyncio
import os

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.filters import Command, CommandStart
from aiogram.types import Message

from botledger import AsyncClient, InvalidRequestError
from botledger.aiogram import BotledgerMiddleware, BotledgerOfUser

dispatcher = Dispatcher()


@dispatcher.message(CommandStart())
async def start(message: Message) -> None:
    await message.answer("Welcome! /buy something, /invite friends, and ask for your /payout.")


@dispatcher.message(Command("buy"))
async def buy(message: Message, botledger: BotledgerOfUser) -> None:
    # The user is thanked when Botledger has the order.
    await botledger.event("order_paid", value_num="24.90", category="books").sent
    await message.answer("Thank you for your order.")


@dispatcher.message(Command("invite"))
async def invite(message: Message, botledger: BotledgerOfUser) -> None:
    await message.answer(f"Your link: {await botledger.referral_link()}")


@dispatcher.message(Command("payout"))
async def payout(message: Message, botledger: BotledgerOfUser) -> None:
    try:
        paid = await botledger.client.request_referral_payout({"user_id": botledger.user_id, "method": "manual"})
        await message.answer(f"Your payout has the number {paid['payout_id']}.")
    except InvalidRequestError as error:
        await message.answer(f"No payout: {error}.")


async def main() -> None:
    platform = TelegramAPIServer.from_base(os.environ.get("TELEGRAM_API_ROOT", "https://api.telegram.org"))
    async with AsyncClient(os.environ["BOTLEDGER_URL"], os.environ["BOTLEDGER_KEY"]) as client:
        BotledgerMiddleware(client).setup(dispatcher)
        await dispatcher.start_polling(Bot(os.environ["BOT_TOKEN"], session=AiohttpSession(api=platform)))


if __name__ == "__main__":
    asyncio.run(main())
