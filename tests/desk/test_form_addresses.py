"""Addresses that only take forms, opened as if they were pages."""

from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import reverse

from tests.cast import Cast
from tests.desk.desk import Desk

pytestmark = pytest.mark.django_db


def test_an_address_of_a_form_opened_as_a_page_says_so(cast: Cast) -> None:
    response = Desk.of(cast.admin).client.get(reverse("experiment-begin"))
    assert response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert response.headers["Allow"] == "POST"
    assert "Only a form leads to this address" in response.text


def test_what_asks_by_another_method_gets_no_page(client: Client) -> None:
    response = client.put(reverse("queue"))
    assert response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert not response.content
